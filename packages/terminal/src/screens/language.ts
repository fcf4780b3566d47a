import { type Answer, actionRows, answerRows, answerTo } from '../operations/ask.ts'
import { parseInvocation } from '../operations/catalogue.ts'
import { slashLine } from '../operations/invocation.ts'
import type { AnyFollowing, AnyOperation, Invocation } from '../operations/operation.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

interface Conversation {
  /** What this user said and ran before, oldest first. */
  before: readonly string[]
  remember(shell: Shell, line: string): void
  runCommand(
    shell: Shell,
    operation: AnyOperation | AnyFollowing,
    input: Invocation['input'],
    asked: boolean,
  ): Promise<void>
}

/** Limits of the server: number of lines, and length of each. */
const mostLines = 50
const mostLetters = 2_000

/**
 * Asks the server to interpret plain words: shows facts, shows a command and runs it only after a
 * confirmation, or asks the server's question and continues with the answer.
 */
export async function askPlainly(shell: Shell, words: string, output: Conversation): Promise<void> {
  shell.say('Thinking …', 'dim')
  const before = output.before.slice(-mostLines).map((line) => line.slice(0, mostLetters))
  const answer = await shell.attempt(() => answerTo(shell.context, words, { tenant: shell.tenantId, before }))
  if (!answer) return
  shell.say('')
  if (answer.clarification) {
    const said = await askBack(shell, answer.clarification)
    if (said === undefined) return
    output.remember(shell, said)
    return askPlainly(shell, said, { ...output, before: [...output.before, words] })
  }
  if (answer.action) return propose(shell, answer.action, output)
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

/**
 * Shows the command as it would be run here, and the rows that it would affect; without a confirmation
 * nothing happens.
 */
async function propose(
  shell: Shell,
  action: NonNullable<Answer['action']>,
  output: Conversation,
): Promise<void> {
  const { operation, input } = parseInvocation(action.command)
  const command = slashLine(operation, input)
  const isHard = action.destructive || operation.effect === 'decides'
  const rows = actionRows({ ...action, command, destructive: false }, 100)
  // Matches that arrive while the user reads are not included.
  const settled = 'run' in operation ? await operation.resolveInput?.(shell.context, input) : undefined
  const question = isHard ? 'Run it? It is hard or impossible to undo.' : 'Run it?'
  if (!(await shell.confirm(question, rows))) return shell.say('It was not executed', 'dim')
  output.remember(shell, command)
  await output.runCommand(shell, operation, settled ?? input, true)
}
