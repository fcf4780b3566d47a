import { isCommandPrefix, parseInvocation } from '../operations/catalogue.ts'
import { isArgument, UsageError } from '../operations/invocation.ts'
import type { AnyFollowing, AnyOperation, Invocation } from '../operations/operation.ts'

/** The meaning of a line: a command, an action of the terminal, or a request in plain words. */
export type Meaning =
  | { kind: 'command'; operation: AnyOperation | AnyFollowing; input: Invocation['input'] }
  | { kind: 'own'; name: OwnCommand }
  | { kind: 'words'; words: string }

/** Commands that only the terminal has. */
export const ownCommands = {
  help: 'all commands',
  undo: 'undo the last operation',
  drafts: 'what you have written and not sent',
  quit: 'leave the terminal',
} as const
type OwnCommand = keyof typeof ownCommands

const isOwn = (name: string): name is OwnCommand => Object.hasOwn(ownCommands, name)
const idShape = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i
const named: ReadonlySet<string> = new Set(['approval', 'activity', 'work', 'feed', 'tenant'])

/**
 * After a slash only a command is accepted. Without one, a line that begins like a command is one when it can
 * be parsed as such: “show what waits for me” cannot, “show 01J9…” can.
 * @throws UsageError for a command that cannot be run
 */
export function meaningOf(line: string): Meaning {
  const text = line.trim()
  const [first = '', ...rest] = text.split(/\s+/)
  const name = first.replace(/^\//, '')
  if (isOwn(name) && rest.length === 0) return { kind: 'own', name }
  if (text.startsWith('/')) return { kind: 'command', ...parseInvocation(text) }
  if (!isCommandPrefix(name)) return { kind: 'words', words: text }
  try {
    const command = parseInvocation(text)
    return namesIds(command) ? { kind: 'command', ...command } : { kind: 'words', words: text }
  } catch (error) {
    // Several words without any option are a sentence.
    if (error instanceof UsageError && rest.length > 1 && !text.includes(' --'))
      return { kind: 'words', words: text }
    throw error
  }
}

/** Whether ids are given where the command takes them. */
function namesIds({ operation, input }: ReturnType<typeof parseInvocation>): boolean {
  return Object.entries(operation.params).every(([name, parameter]) => {
    if (!isArgument(parameter) || !('completes' in parameter) || !named.has(parameter.completes ?? ''))
      return true
    return [input[name] ?? []].flat().every((value) => idShape.test(String(value)))
  })
}
