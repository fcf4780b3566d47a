import { ThreadFault, type Threads } from '../platform/threads/threads.ts'
import type { Ctx } from './context.ts'
import { DomainError } from './errors.ts'
import type { Outline, TextPair } from './versions/compare.ts'

/**
 * What is done to long texts in threads: pure functions, whose cost grows with what callers send. Each context adds its own where it
 * defines them; composition puts them together.
 */
export interface TextTasks {
  compare(pairs: readonly TextPair[]): Outline[]
}
export type TextThreads = Threads<{ [N in keyof TextTasks]: TextTasks[N] }>

/** How many tasks of one person wait; more requests at the same time the gateway lets through for few only. */
const mostOfPerson = 8
/** How many tasks of one tenant's agents wait: results are not asked for again as easily as a page is. */
const mostOfAgents = 64

/**
 * Does a task in a thread, so that no one else waits for it. Of one person, or of one tenant's agents, one is done at a time.
 * Never called inside a transaction, which would be held open meanwhile.
 * @throws DomainError `THROTTLED` when too many wait, or the server is too busy to get it done
 */
export async function inThread<N extends keyof TextTasks>(
  ctx: Ctx,
  task: N,
  input: Parameters<TextTasks[N]>[0],
): Promise<Awaited<ReturnType<TextTasks[N]>>> {
  const { actor, services } = ctx
  const isAgent = actor.type === 'agent'
  try {
    return await services.threads.run(task, input, {
      owner: isAgent ? `agents:${actor.tenantId ?? ''}` : `person:${actor.id}`,
      maxWaiting: isAgent ? mostOfAgents : mostOfPerson,
    })
  } catch (error) {
    if (!(error instanceof ThreadFault)) throw error
    const { reason } = error
    if (reason === 'died') throw error
    if (reason !== 'full') ctx.log.warn('a task was not done in time', { task, reason, error })
    throw new DomainError('THROTTLED', busy[reason], { cause: error })
  }
}

const busy = {
  full: 'Other long texts are being worked on; wait until that has ended',
  deadline: 'The server was too busy to work on this text in time; try again in a moment',
  aborted: 'The server is restarting; try again in a moment',
  closed: 'The server is restarting; try again in a moment',
}
