import { agents, queues, run } from './agents.ts'
import { ask } from './ask.ts'
import { bulk } from './bulk.ts'
import { cost } from './cost.ts'
import { dismiss, feed, snooze } from './feed.ts'
import { claim, escalate, forward, release } from './handling.ts'
import { LineFault, readInput, wordsOf } from './line.ts'
import { log } from './log.ts'
import type { AnyFollowing, AnyOperation } from './operation.ts'
import { queue } from './queue.ts'
import { show } from './show.ts'
import { status } from './status.ts'
import { cancel, comment, pause, resume, retry } from './steering.ts'
import { tail } from './tail.ts'
import { impersonate, tenants } from './tenants.ts'
import { approve, reject, revise } from './verdicts.ts'

/** Everything that staff can do, in the order of the help. */
export const operations = [
  status,
  queue,
  feed,
  show,
  log,
  tenants,
  agents,
  queues,
  cost,
  ask,
  approve,
  reject,
  revise,
  bulk,
  claim,
  release,
  escalate,
  forward,
  run,
  pause,
  resume,
  retry,
  cancel,
  comment,
  snooze,
  dismiss,
  impersonate,
] as unknown as readonly AnyOperation[]

/** What is followed as it happens. */
export const followings = [tail] as unknown as readonly AnyFollowing[]

/** @returns undefined for a name that no operation has */
export function operationNamed(name: string): AnyOperation | AnyFollowing | undefined {
  return [...operations, ...followings].find((each) => each.name === name)
}

/** The operation that a line behind a slash means, or what it follows, with its input. @throws LineFault */
export function readLine(line: string): {
  operation: AnyOperation | AnyFollowing
  input: Readonly<Record<string, unknown>>
} {
  const [first = '', ...words] = wordsOf(line.trim())
  const name = first.replace(/^\//, '')
  const operation = operationNamed(name)
  if (!operation) throw new LineFault(`There is no command /${name}. /help shows what there is.`)
  return { operation, input: readInput(operation, words) }
}
