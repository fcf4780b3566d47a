import { createThreads, ThreadFault, threadFile, type Threads } from '../platform/threads/threads.ts'
import { sha256Hex } from '../platform/crypto/hash.ts'
import type { StructuredBrief } from '../platform/models/writer/brief.ts'
import { compose } from '../platform/models/writer/compose.ts'
import type { Ctx } from './context.ts'
import { DomainError } from './errors.ts'
import type { TextTasks } from './text-tasks.ts'

/** The threads of one instance in which long texts are worked on. */
export function createTextThreads(): Threads<TextTasks> {
  return createThreads<TextTasks>({
    file: threadFile('text-thread', import.meta.url),
    threads: 2,
    keep: true,
    memoryMb: 256,
    deadlineMs: 10_000,
    maxWaiting: 256,
  })
}

/** How many tasks of one person wait; more requests at the same time the gateway lets through for few only. */
const mostOfPerson = 8
/** How many tasks of one tenant's agents wait: results are not asked for again as easily as a page is. */
const mostOfAgents = 64

/**
 * Does a task in a thread, so that nobody else waits for it. Of one person, or of one tenant's agents, one is done at a time.
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

/** Briefs of fewer characters are composed at once: a thread, and the start of the first one, would take longer. */
const shortBrief = 4_000

/**
 * Has the built-in writer make a piece, of a long brief in a thread. Of one brief one piece is made at a time, so that a brief on which it labours
 * long holds up nobody else's.
 * @throws ThreadFault
 */
export async function composeInThread(
  threads: Threads<TextTasks>,
  brief: StructuredBrief,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (JSON.stringify(brief).length < shortBrief) return compose(brief)
  const owner = `brief:${sha256Hex(brief.markdown ?? '')}`
  return threads.run('compose', brief, { owner, maxWaiting: mostOfAgents, signal })
}

const busy = {
  full: 'Other long texts are being worked on; wait until that has ended',
  deadline: 'The server was too busy to work on this text in time; try again in a moment',
  aborted: 'The server is restarting; try again in a moment',
  closed: 'The server is restarting; try again in a moment',
}
