import { agents, queues, run } from './agents.ts'
import { ask } from './ask.ts'
import { bulk } from './bulk.ts'
import { campaignCreate, campaignList, campaignShow } from './campaigns.ts'
import { cost } from './cost.ts'
import { dismiss, feed, snooze } from './feed.ts'
import { claim, escalate, forward, release } from './handling.ts'
import { LineFault, readInput, wordsOf } from './line.ts'
import { log } from './log.ts'
import type { AnyFollowing, AnyOperation, Desk } from './operation.ts'
import { queue } from './queue.ts'
import { mayRun } from './rights.ts'
import { show } from './show.ts'
import { status } from './status.ts'
import { cancel, comment, pause, resume, retry } from './steering.ts'
import { tail } from './tail.ts'
import { impersonate, tenants } from './tenants.ts'
import { approve, reject, revise } from './verdicts.ts'

/** Everything that can be done at a server, in the order of the help. */
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
  campaignCreate,
  campaignList,
  campaignShow,
] as unknown as readonly AnyOperation[]

/** What is followed as it happens. */
export const followings = [tail] as unknown as readonly AnyFollowing[]

/** @returns undefined for a name that no operation has */
export function operationNamed(name: string): AnyOperation | AnyFollowing | undefined {
  return [...operations, ...followings].find((each) => each.name === name)
}

/** Whether whoever sits at a desk may run what has this name. */
export function mayRunNamed(desk: Pick<Desk, 'audience'>, name: string): boolean {
  const operation = operationNamed(name)
  return operation !== undefined && mayRun(desk, operation)
}

/** What somebody may run, in the order of the help. */
export function operationsFor(desk: Pick<Desk, 'audience'>): readonly AnyOperation[] {
  return operations.filter((operation) => mayRun(desk, operation))
}

/** Whether a line that begins with this word may be a command. */
export function beginsCommand(word: string): boolean {
  return [...operations, ...followings].some(({ name }) => name === word || name.startsWith(`${word} `))
}

/** The operation whose name a line begins with, and the words behind that; the name has one word, or two. */
export function operationIn(words: readonly string[]): {
  operation: AnyOperation | AnyFollowing | undefined
  rest: readonly string[]
} {
  const [first = '', second] = words
  const whole = second === undefined ? undefined : operationNamed(`${first} ${second}`)
  return whole
    ? { operation: whole, rest: words.slice(2) }
    : { operation: operationNamed(first), rest: words.slice(1) }
}

/** The operation that a line behind a slash means, or what it follows, with its input. @throws LineFault */
export function readLine(line: string): {
  operation: AnyOperation | AnyFollowing
  input: Readonly<Record<string, unknown>>
} {
  const words = wordsOf(line.trim().replace(/^\//, ''))
  const { operation, rest } = operationIn(words)
  if (!operation) throw new LineFault(`There is no command /${words[0] ?? ''}. /help shows what there is.`)
  return { operation, input: readInput(operation, rest) }
}
