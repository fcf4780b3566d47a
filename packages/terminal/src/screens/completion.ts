import { operationIn } from '../operations/catalogue.ts'
import { isArgument, optionName, quoted } from '../operations/invocation.ts'
import type { Completion, OperationBase, Parameter } from '../operations/operation.ts'
import { ownCommands } from './parse-input.ts'

/** A suggestion for the current position. */
export interface Offer {
  value: string
  what: string
}

/** Ids and names that are known so far; more may be loaded while the user types. */
export type Known = (kind: Completion) => readonly Offer[]

/** Suggestions for the end of a line, and the position that they replace. */
export interface Completions {
  from: number
  offers: readonly Offer[]
}

/** Maximum number of values that are searched for suggestions. */
const most = 100

/** @param offered the commands of the user */
export function completionsOf(line: string, known: Known, offered: readonly OperationBase[]): Completions {
  const from = wordStart(line)
  const word = line.slice(from).replace(/^"/, '')
  const before = wordsBefore(line.slice(0, from))
  const [command] = before
  if (command === undefined) return { from, offers: commandsLike(word, offered) }
  const { operation, rest } = operationIn([command.replace(/^\//, ''), ...before.slice(1)])
  if (!operation) return { from, offers: before.length === 1 ? secondWords(command, word, offered) : [] }
  const offers = offersFor(operation, rest, word, known)
  return { from, offers: offers.filter(({ value, what }) => fits(value, what, word)).slice(0, most) }
}

/** A value by its prefix; an id also by words of its title. */
function fits(value: string, what: string, word: string): boolean {
  const typed = word.toLowerCase()
  return value.toLowerCase().startsWith(typed) || (typed.length > 1 && what.toLowerCase().includes(typed))
}

/** The second word of commands whose name has two. */
function secondWords(first: string, word: string, offered: readonly OperationBase[]): Offer[] {
  return offered.flatMap(({ name, summary }) => {
    const [begins, second] = name.split(' ')
    const isMeant = begins === first.replace(/^\//, '') && second?.startsWith(word.toLowerCase())
    return isMeant ? [{ value: second ?? '', what: summary }] : []
  })
}

function commandsLike(word: string, offered: readonly OperationBase[]): Offer[] {
  const slash = word.startsWith('/') ? '/' : ''
  const typed = word.slice(slash.length).toLowerCase()
  const all = [
    ...offered.map(({ name, summary }) => ({ value: name, what: summary })),
    ...Object.entries(ownCommands).map(([value, what]) => ({ value, what })),
  ]
  return all
    .filter(({ value }) => value.startsWith(typed))
    .map(({ value, what }) => ({ value: slash + value, what }))
}

function offersFor(
  operation: OperationBase,
  before: readonly string[],
  word: string,
  known: Known,
): readonly Offer[] {
  const options = Object.entries(operation.params).filter(([, parameter]) => !isArgument(parameter))
  const last = before.at(-1) ?? ''
  const open = options.find(([name, { kind }]) => last === `--${optionName(name)}` && kind !== 'flag')
  if (open) return valuesFor(open[1], known)
  if (word.startsWith('--'))
    return options
      .map(([name, { summary }]) => ({ value: `--${optionName(name)}`, what: summary }))
      .filter(({ value }) => !before.includes(value))
  const place = argumentAt(operation, before)
  return place ? valuesFor(place, known) : []
}

/** The argument that the next word belongs to. */
function argumentAt(operation: OperationBase, before: readonly string[]): Parameter | undefined {
  const flags = new Set(
    Object.entries(operation.params).flatMap(([name, { kind }]) =>
      kind === 'flag' ? `--${optionName(name)}` : [],
    ),
  )
  const given = before.filter(
    (word, at) =>
      !word.startsWith('--') && !(before[at - 1]?.startsWith('--') && !flags.has(before[at - 1] ?? '')),
  )
  const places = Object.values(operation.params).filter(isArgument)
  return places[given.length] ?? places.find(({ kind }) => kind === 'arguments')
}

function valuesFor(parameter: Parameter, known: Known): readonly Offer[] {
  if ('choices' in parameter) return parameter.choices.map((value) => ({ value, what: '' }))
  const kind = 'completes' in parameter ? parameter.completes : undefined
  return kind === undefined ? [] : known(kind).map(({ value, what }) => ({ value: quoted(value), what }))
}

/** The start of the word that is being typed: after the last space outside quotes. */
function wordStart(line: string): number {
  let start = 0
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"' && line[at - 1] !== '\\') isQuoted = !isQuoted
    else if (line[at] === ' ' && !isQuoted) start = at + 1
  }
  return start
}

const wordsBefore = (line: string) => line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []
