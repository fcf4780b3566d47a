import type { Copydesk, Logger } from '@copydesk/core'
import type { Config } from './config/schema.ts'
import { endLightly } from './light-start.ts'
import { serve } from './listen.ts'
import { createAssistants } from './mcp/assistants.ts'
import { followKeys } from './reload-keys.ts'

export interface BootOptions {
  config: Config
  copydesk: Copydesk
  log: Logger
  /** Called with the address once the server accepts requests. */
  onReady(url: string): void
}

const notLoaded = 'A part of the program could not be loaded; it is tried again when it is needed'

/** A terminal and npx may each deliver the same Ctrl-C: two signals within this time count as one. */
const sameSignalMs = 500

/** What a start does without is loaded so long after it, when its first requests have been answered. */
const restAfterMs = 1_000

/** What the work loads by itself a second after it has begun, its calendar, is there so long after it. */
const settledMs = 1_500

/**
 * Serves until SIGTERM or SIGINT, then stops accepting connections, ends the streams, lets requests and runs
 * finish, and closes the database. A second signal ends the process at once.
 * @returns when everything has ended
 * @throws Error with one sentence when the port cannot be opened; the instance is stopped by then
 */
export async function boot({ config, copydesk, log, onReady }: BootOptions): Promise<void> {
  let stopping: Promise<void> | undefined
  let unlimit: (() => void) | undefined
  let rest: NodeJS.Timeout | undefined
  const stop = () => (stopping ??= copydesk.stop())
  const unfollow = followKeys(copydesk, config, log)
  const assistants = config.role === 'worker' ? undefined : createAssistants({ copydesk, config, log })
  try {
    await copydesk.start({ work: 'later' })
    const { node, clientError } = copydesk
    const { port, host } = config
    const served = await serve((req, res) => assistants?.takes(req, res) || node(req, res), {
      port,
      host,
      clientError,
      drain: async () => {
        await assistants?.drain()
        await stop()
      },
    })
    const signal = untilSignal(log)
    const { promise: failed, reject: fail } = Promise.withResolvers<never>()
    const loadRest = async () => {
      await copydesk.work()
      await copydesk.loadRest().catch((error: unknown) => log.error(notLoaded, { error }))
      // It may have been told to stop meanwhile.
      if (stopping) return
      rest = setTimeout(() => {
        unlimit = endLightly()
      }, settledMs).unref()
    }
    rest = setTimeout(() => void loadRest().catch(fail), restAfterMs)
    onReady(served.url)
    try {
      await Promise.race([signal, failed])
    } finally {
      await served.close()
    }
  } finally {
    clearTimeout(rest)
    unlimit?.()
    unfollow()
    await stop()
  }
  log.info('stopped')
}

function untilSignal(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const hear = (signal: NodeJS.Signals) => {
      const now = performance.now()
      if (first === undefined) {
        first = now
        log.info('stopping: no new requests, active runs and jobs finish', { signal })
        resolve()
      } else if (now - first > sameSignalMs) {
        log.warn('stopped at once, interrupted runs and jobs start again next time', { signal })
        process.exit(1)
      }
    }
    process.on('SIGTERM', hear)
    process.on('SIGINT', hear)
  })
}
