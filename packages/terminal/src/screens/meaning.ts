import { beginsCommand, readLine } from '../operations/catalogue.ts'
import { isArgument, LineFault } from '../operations/line.ts'
import type { AnyFollowing, AnyOperation, Line } from '../operations/operation.ts'

/** What somebody means by a line: a command, something of the terminal itself, or a request in plain words. */
export type Meaning =
  | { kind: 'command'; operation: AnyOperation | AnyFollowing; input: Line['input'] }
  | { kind: 'own'; name: OwnCommand }
  | { kind: 'words'; words: string }

/** What only the terminal has. */
export const ownCommands = {
  help: 'what can be written here',
  undo: 'take back what was done last',
  drafts: 'what you have written and not sent',
  quit: 'leave the terminal',
} as const
type OwnCommand = keyof typeof ownCommands

const isOwn = (name: string): name is OwnCommand => Object.hasOwn(ownCommands, name)
const idShape = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i
const named: ReadonlySet<string> = new Set(['approval', 'activity', 'work', 'feed', 'tenant'])

/**
 * Behind a slash stands a command and nothing else. Without one, a line that begins like a command is one when it reads as
 * such: “show what waits for me” does not, “show 01J9…” does.
 * @throws LineFault for a command that cannot be run
 */
export function meaningOf(line: string): Meaning {
  const text = line.trim()
  const [first = '', ...rest] = text.split(/\s+/)
  const name = first.replace(/^\//, '')
  if (isOwn(name) && rest.length === 0) return { kind: 'own', name }
  if (text.startsWith('/')) return { kind: 'command', ...readLine(text) }
  if (!beginsCommand(name)) return { kind: 'words', words: text }
  try {
    const command = readLine(text)
    return namesIds(command) ? { kind: 'command', ...command } : { kind: 'words', words: text }
  } catch (error) {
    // Several words without any option are a sentence.
    if (error instanceof LineFault && rest.length > 1 && !text.includes(' --'))
      return { kind: 'words', words: text }
    throw error
  }
}

/** Whether ids stand where the command takes them. */
function namesIds({ operation, input }: ReturnType<typeof readLine>): boolean {
  return Object.entries(operation.takes).every(([name, parameter]) => {
    if (!isArgument(parameter) || !('completes' in parameter) || !named.has(parameter.completes ?? ''))
      return true
    return [input[name] ?? []].flat().every((value) => idShape.test(String(value)))
  })
}
