import { actionRows, type Answer, answerRows, answerTo } from '../operations/ask.ts'
import { readLine } from '../operations/catalogue.ts'
import { slashLine } from '../operations/line.ts'
import type { AnyFollowing, AnyOperation, Line } from '../operations/operation.ts'
import { resultScreen } from './result-screen.ts'
import type { Shell } from './shell.ts'

interface Conversation {
  /** What this person said and ran before, oldest first. */
  before: readonly string[]
  remember(shell: Shell, line: string): void
  runCommand(
    shell: Shell,
    operation: AnyOperation | AnyFollowing,
    input: Line['input'],
    asked: boolean,
  ): Promise<void>
}

/** How many lines the server takes, and how long one may be. */
const mostLines = 50
const mostLetters = 2_000

/**
 * Asks the server what is meant by plain words: shows facts, shows a command and runs it only on a yes, or asks what it asks
 * back and goes on with the answer.
 */
export async function askPlainly(shell: Shell, words: string, talk: Conversation): Promise<void> {
  shell.say('Thinking …', 'dim')
  const before = talk.before.slice(-mostLines).map((line) => line.slice(0, mostLetters))
  const answer = await shell.attempt(() => answerTo(shell.desk, words, { tenant: shell.tenantId, before }))
  if (!answer) return
  shell.say('')
  if (answer.clarification) {
    const said = await askBack(shell, answer.clarification)
    if (said === undefined) return
    talk.remember(shell, said)
    return askPlainly(shell, said, { ...talk, before: [...talk.before, words] })
  }
  if (answer.action) return propose(shell, answer.action, talk)
  shell.open(resultScreen(words, (width) => answerRows(answer, width)))
}

async function askBack(
  shell: Shell,
  { question, options = [] }: NonNullable<Answer['clarification']>,
): Promise<string | undefined> {
  if (options.length === 0) return shell.ask(question, { needed: true })
  const other = 'something else …'
  const chosen = await shell.choose(question, [...options, other])
  return chosen === other ? shell.ask(question, { needed: true }) : chosen
}

/** Shows the command as it would be run here, and what it would touch; without a yes nothing happens. */
async function propose(
  shell: Shell,
  action: NonNullable<Answer['action']>,
  talk: Conversation,
): Promise<void> {
  const { operation, input } = readLine(action.command)
  const command = slashLine(operation, input)
  const isHard = action.destructive || operation.does === 'decides'
  const rows = actionRows({ ...action, command, destructive: false }, 100)
  // What comes while the person reads is not meant.
  const settled = 'run' in operation ? await operation.settled?.(shell.desk, input as never) : undefined
  const question = isHard ? 'Run it? It is hard or impossible to take back.' : 'Run it?'
  if (!(await shell.confirm(question, rows))) return shell.say('It was not run', 'dim')
  talk.remember(shell, command)
  await talk.runCommand(shell, operation, settled ?? input, true)
}
