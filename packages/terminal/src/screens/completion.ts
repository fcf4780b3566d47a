import { operationIn } from '../operations/catalogue.ts'
import { isArgument, optionName, quoted } from '../operations/line.ts'
import type { Completion, Named, Parameter } from '../operations/operation.ts'
import { ownCommands } from './meaning.ts'

/** Something that could stand where somebody types. */
export interface Offer {
  value: string
  what: string
}

/** What is known by now of ids and names; more may come while somebody types. */
export type Known = (kind: Completion) => readonly Offer[]

/** What could stand at the end of a line, and where that begins in it. */
export interface Completions {
  from: number
  offers: readonly Offer[]
}

/** How many are looked through at the most when a list is offered. */
const most = 100

/** @param offered the commands of whoever types */
export function completionsOf(line: string, known: Known, offered: readonly Named[]): Completions {
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

/** A value by how it begins; an id also by words of its title. */
function fits(value: string, what: string, word: string): boolean {
  const typed = word.toLowerCase()
  return value.toLowerCase().startsWith(typed) || (typed.length > 1 && what.toLowerCase().includes(typed))
}

/** Of commands whose name has two words, the second. */
function secondWords(first: string, word: string, offered: readonly Named[]): Offer[] {
  return offered.flatMap(({ name, summary }) => {
    const [begins, second] = name.split(' ')
    const isMeant = begins === first.replace(/^\//, '') && second?.startsWith(word.toLowerCase())
    return isMeant ? [{ value: second ?? '', what: summary }] : []
  })
}

function commandsLike(word: string, offered: readonly Named[]): Offer[] {
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
  operation: Named,
  before: readonly string[],
  word: string,
  known: Known,
): readonly Offer[] {
  const options = Object.entries(operation.takes).filter(([, parameter]) => !isArgument(parameter))
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

/** The argument that the next word is for. */
function argumentAt(operation: Named, before: readonly string[]): Parameter | undefined {
  const flags = new Set(
    Object.entries(operation.takes).flatMap(([name, { kind }]) =>
      kind === 'flag' ? `--${optionName(name)}` : [],
    ),
  )
  const given = before.filter(
    (word, at) =>
      !word.startsWith('--') && !(before[at - 1]?.startsWith('--') && !flags.has(before[at - 1] ?? '')),
  )
  const places = Object.values(operation.takes).filter(isArgument)
  return places[given.length] ?? places.find(({ kind }) => kind === 'arguments')
}

function valuesFor(parameter: Parameter, known: Known): readonly Offer[] {
  if ('choices' in parameter) return parameter.choices.map((value) => ({ value, what: '' }))
  const kind = 'completes' in parameter ? parameter.completes : undefined
  return kind === undefined ? [] : known(kind).map(({ value, what }) => ({ value: quoted(value), what }))
}

/** Where the word begins that is being typed: behind the last space that is in no quotes. */
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
