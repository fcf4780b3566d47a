import type { Line, Named, Parameter } from './operation.ts'

/** A line that cannot be run: what is wrong with it and, where one is at fault, with which parameter. */
export class LineFault extends Error {
  override readonly name = 'LineFault'
  readonly parameter: string | undefined

  constructor(message: string, parameter?: string) {
    super(message)
    this.parameter = parameter
  }
}

/**
 * The words of a line: parted by spaces, kept together by double quotes, in which `\"` and `\\` stand for themselves.
 * @throws LineFault when a quote is not closed
 */
export function wordsOf(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quoted = false
  for (let at = 0; at < line.length; at += 1) {
    const letter = line.charAt(at)
    if (letter === '"') {
      quoted = !quoted
      word ??= ''
    } else if (quoted && letter === '\\' && /["\\]/.test(line.charAt(at + 1))) {
      at += 1
      word = (word ?? '') + line.charAt(at)
    } else if (!quoted && /\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + letter
  }
  if (quoted) throw new LineFault('A quote is opened and not closed')
  if (word !== undefined) words.push(word)
  return words
}

/** A word as it has to be written in a line of the terminal. */
export function quoted(word: string): string {
  return word !== '' && !/[\s"\\]/.test(word) ? word : `"${word.replace(/["\\]/g, String.raw`\$&`)}"`
}

/** A word as it has to be written in a POSIX shell. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** A line as somebody would type it behind a slash. */
export function slashLine(operation: Named, input: Line['input']): string {
  return `/${[operation.name, ...wordsFor(operation, input, quoted)].join(' ')}`
}

/** The command of a shell that does the same. */
export function shellLine(operation: Named, input: Line['input']): string {
  return `copydesk ${[operation.name, ...wordsFor(operation, input, shellQuoted)].join(' ')}`
}

/** Words that begin with a dash are kept behind `--`, so that they are not taken for options. */
function wordsFor(operation: Named, input: Line['input'], quote: (word: string) => string): string[] {
  const places: string[] = []
  const options: string[] = []
  for (const [name, parameter] of Object.entries(operation.takes)) {
    const value = input[name]
    if (value === undefined || value === false) continue
    if (parameter.kind === 'flag') options.push(`--${optionName(name)}`)
    else if (isArgument(parameter)) places.push(...[value].flat().map(String))
    else options.push(`--${optionName(name)}`, quote(Array.isArray(value) ? value.join(',') : String(value)))
  }
  const quoted = places.map(quote)
  return places.some((word) => word.startsWith('-')) ? [...options, '--', ...quoted] : [...quoted, ...options]
}

export function isArgument({ kind }: Parameter): boolean {
  return kind === 'argument' || kind === 'arguments' || kind === 'choice argument'
}

/** Whether several ids can be given; a shell reads them from stdin as well. */
export function takesIds(parameter: Parameter): boolean {
  return parameter.kind === 'arguments' && parameter.completes !== undefined
}

/** The option of a parameter: `dryRun` is `--dry-run`. */
export function optionName(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/**
 * What an operation is to be called with, from the words behind its name.
 * @throws LineFault for what it does not take, what it lacks, and values that it does not know
 */
export function readInput(operation: Named, words: readonly string[]): Line['input'] {
  const input: Record<string, unknown> = {}
  const places = Object.entries(operation.takes).filter(([, parameter]) => isArgument(parameter))
  const options = new Map(
    Object.entries(operation.takes)
      .filter(([, parameter]) => !isArgument(parameter))
      .map(([name, parameter]) => [`--${optionName(name)}`, [name, parameter] as const]),
  )
  const rest = [...words]
  let onlyWords = false
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--' && !onlyWords) {
      onlyWords = true
      continue
    }
    if (onlyWords || !word.startsWith('--')) {
      const [name, parameter] = places[0] ?? []
      if (!name || !parameter) throw new LineFault(`/${operation.name} does not take "${word}"`)
      if (parameter.kind === 'arguments') input[name] = [...((input[name] as string[]) ?? []), word]
      else {
        input[name] = valueOf(name, parameter, word)
        places.shift()
      }
      continue
    }
    const [option = '', ...given] = word.split('=')
    const found = options.get(option)
    if (!found) throw new LineFault(`/${operation.name} has no option ${option}`)
    const [name, parameter] = found
    if (parameter.kind === 'flag') {
      input[name] = true
      continue
    }
    const value = given.length > 0 ? given.join('=') : rest.shift()
    if (value === undefined) throw new LineFault(`${option} needs a value`, name)
    const isSeveral = parameter.kind === 'choices' || parameter.kind === 'list'
    const before = isSeveral ? (input[name] as string[] | undefined) : undefined
    input[name] = valueOf(name, parameter, [...(before ?? []), value].join(','))
  }
  return checkInput(operation, input)
}

/** The same from values by name, as a program gives them. @throws LineFault */
export function checkInput(operation: Named, given: Line['input']): Line['input'] {
  const input: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(operation.takes, name))
      throw new LineFault(`${operation.name} does not take ${name}`, name)
  }
  for (const [name, parameter] of Object.entries(operation.takes)) {
    const value = given[name]
    if (parameter.kind === 'flag') input[name] = value === true
    else if (value !== undefined) input[name] = fitting(name, parameter, value)
    else if (isRequired(parameter))
      throw new LineFault(`${operation.name} needs ${spoken(name, parameter)}`, name)
  }
  return input
}

/** The value when it is of the kind that the operation takes. @throws LineFault */
function fitting(name: string, parameter: Parameter, value: unknown): unknown {
  const isList = parameter.kind === 'arguments' || parameter.kind === 'list'
  if (isList && Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value
  if (isList) throw new LineFault(`${spoken(name, parameter)} must be one or more words`, name)
  if (parameter.kind === 'choices' && Array.isArray(value)) return valueOf(name, parameter, value.join(','))
  if (parameter.kind === 'number' && typeof value === 'number') return valueOf(name, parameter, String(value))
  if (typeof value === 'string' && parameter.kind !== 'number') return valueOf(name, parameter, value)
  throw new LineFault(
    `${spoken(name, parameter)} must be ${parameter.kind === 'number' ? 'a number' : 'a text'}`,
    name,
  )
}

export function isRequired(parameter: Parameter): boolean {
  if (parameter.kind === 'choice argument' || parameter.kind === 'arguments') return true
  return 'required' in parameter && parameter.required === true
}

/** A parameter as somebody types it. */
export function spoken(name: string, parameter: Parameter): string {
  return isArgument(parameter) ? `<${optionName(name)}>` : `--${optionName(name)}`
}

/** A value as it was typed, in the kind that the operation takes. @throws LineFault */
export function valueOf(name: string, parameter: Parameter, text: string): unknown {
  switch (parameter.kind) {
    case 'number': {
      const value = Number(text)
      if (/^\d+$/.test(text) && value >= parameter.min && value <= parameter.max) return value
      const range = `a whole number from ${parameter.min} to ${parameter.max}`
      throw new LineFault(`${spoken(name, parameter)} must be ${range}`, name)
    }
    case 'choice':
    case 'choice argument':
      if (parameter.choices.includes(text)) return text
      throw new LineFault(`${spoken(name, parameter)} must be one of ${parameter.choices.join(', ')}`, name)
    case 'list':
      return parted(text)
    case 'choices': {
      const given = parted(text)
      if (given.length > 0 && given.every((each) => parameter.choices.includes(each))) return given
      const choices = parameter.choices.join(', ')
      throw new LineFault(`${spoken(name, parameter)} must be some of ${choices}, parted by commas`, name)
    }
    default:
      return text
  }
}

const parted = (text: string) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
