import type { Clock } from '../clock.ts'
import { OutboundError } from './outbound-error.ts'

/** The time limit of one exchange, joined with the caller's own signal. */
export interface Deadline {
  /** Aborts with an {@link OutboundError}: `timeout`, or `aborted` with the caller's reason as its cause. */
  signal: AbortSignal
  /** Something arrived: where the limit is on silence, it starts again. */
  touch(): void
  /** The exchange is over; the timer and the listener are taken away. */
  end(): void
}

/**
 * @param options `ms`: the limit in milliseconds; `of`: whether it is on the whole exchange or on each silence in it
 */
export function createDeadline(options: {
  clock: Clock
  ms: number
  of: 'exchange' | 'silence'
  host: string
  caller: AbortSignal | undefined
}): Deadline {
  const { clock, ms, of, host, caller } = options
  const controller = new AbortController()
  const expire = (): void => {
    controller.abort(new OutboundError('timeout', `${host} did not finish its answer within ${ms} ms.`))
  }
  const giveUp = (): void => {
    const cause: unknown = caller?.reason
    controller.abort(new OutboundError('aborted', `The request to ${host} was cancelled.`, { cause }))
  }
  let disarm = clock.after(ms, expire)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })

  return {
    signal: controller.signal,
    touch() {
      if (of === 'exchange') return
      disarm()
      disarm = clock.after(ms, expire)
    },
    end() {
      disarm()
      caller?.removeEventListener('abort', giveUp)
    },
  }
}
