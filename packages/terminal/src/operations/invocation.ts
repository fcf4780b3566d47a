import type { Input, Invocation, OperationBase, Parameter, Parameters } from './operation.ts'

/** A line that cannot be run: the message and the invalid parameter, if it is about one. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly parameter: string | undefined

  constructor(message: string, parameter?: string) {
    super(message)
    this.parameter = parameter
  }
}

/**
 * The words of a line: separated by spaces, kept together by double quotes, in which `\"` and `\\` are
 * escapes.
 * @throws UsageError when a quote is not closed
 */
export function wordsOf(line: string): string[] {
  // Not `shell-quote`: it gives apostrophes, `$`, `#`, `*` and `|` a meaning that they do not have in a
  // sentence.
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
  if (quoted) throw new UsageError('A quote is opened and not closed')
  if (word !== undefined) words.push(word)
  return words
}

/** Quotes a word for a line of the terminal. */
export function quoted(word: string): string {
  return word !== '' && !/[\s"\\]/.test(word) ? word : `"${word.replace(/["\\]/g, String.raw`\$&`)}"`
}

/** Quotes a word for a POSIX shell. */
export function shellQuoted(word: string): string {
  // Not `shell-quote`: it escapes the commas and colons of our lists and instants.
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** The slash command for an operation with an input. */
export function slashLine(operation: OperationBase, input: Invocation['input']): string {
  return `/${[operation.name, ...wordsFor(operation, input, quoted)].join(' ')}`
}

/** The shell command for an operation with an input. */
export function shellLine(operation: OperationBase, input: Invocation['input']): string {
  return `copydesk ${[operation.name, ...wordsFor(operation, input, shellQuoted)].join(' ')}`
}

/** Words that begin with a dash are written after `--`, so that they are not parsed as options. */
function wordsFor(
  operation: OperationBase,
  input: Invocation['input'],
  quote: (word: string) => string,
): string[] {
  const places: string[] = []
  const options: string[] = []
  for (const [name, parameter] of Object.entries(operation.params)) {
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

/** Whether the argument accepts several ids; a shell reads them from stdin as well. */
export function takesIds(parameter: Parameter): boolean {
  return parameter.kind === 'arguments' && parameter.completes !== undefined
}

/** The option of a parameter: `dryRun` is `--dry-run`. */
export function optionName(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/**
 * Parses the input of an operation from the words after its name.
 * @throws UsageError for unknown and missing parameters and invalid values
 */
export function readInput(operation: OperationBase, words: readonly string[]): Invocation['input'] {
  const input: Record<string, unknown> = {}
  const places = Object.entries(operation.params).filter(([, parameter]) => isArgument(parameter))
  const options = new Map(
    Object.entries(operation.params)
      .filter(([, parameter]) => !isArgument(parameter))
      .map(([name, parameter]) => [`--${optionName(name)}`, [name, parameter] as const]),
  )
  const rest = [...words]
  // Not node's `parseArgs`: it parses a word with one dash, such as a reason, as options of one letter each.
  let onlyWords = false
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--' && !onlyWords) {
      onlyWords = true
      continue
    }
    if (onlyWords || !word.startsWith('--')) {
      const [name, parameter] = places[0] ?? []
      if (!name || !parameter) throw new UsageError(`/${operation.name} does not take "${word}"`)
      if (parameter.kind === 'arguments') input[name] = [...((input[name] as string[]) ?? []), word]
      else {
        input[name] = valueOf(name, parameter, word)
        places.shift()
      }
      continue
    }
    const [option = '', ...given] = word.split('=')
    const found = options.get(option)
    if (!found) throw new UsageError(`/${operation.name} has no option ${option}`)
    const [name, parameter] = found
    if (parameter.kind === 'flag') {
      input[name] = true
      continue
    }
    const value = given.length > 0 ? given.join('=') : rest.shift()
    if (value === undefined) throw new UsageError(`${option} needs a value`, name)
    const isSeveral = parameter.kind === 'choices' || parameter.kind === 'list'
    const before = isSeveral ? (input[name] as string[] | undefined) : undefined
    input[name] = valueOf(name, parameter, [...(before ?? []), value].join(','))
  }
  return checkInput(operation, input)
}

/** The input of a known operation, which `checkInput` has compared with its parameters. */
export function checkedInput<T extends Parameters>(
  _operation: OperationBase<T>,
  checked: Invocation['input'],
): Input<T> {
  return checked as Input<T>
}

/** Parses the input from values by name, as a program passes them. @throws UsageError */
export function checkInput(operation: OperationBase, given: Invocation['input']): Invocation['input'] {
  const input: Record<string, unknown> = {}
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(operation.params, name))
      throw new UsageError(`${operation.name} does not take ${name}`, name)
  }
  for (const [name, parameter] of Object.entries(operation.params)) {
    const value = given[name]
    if (parameter.kind === 'flag') input[name] = value === true
    else if (value !== undefined) input[name] = fitting(name, parameter, value)
    else if (isRequired(parameter))
      throw new UsageError(`${operation.name} needs ${typedParameter(name, parameter)}`, name)
  }
  return input
}

/** The value when its type is that of the parameter. @throws UsageError */
function fitting(name: string, parameter: Parameter, value: unknown): unknown {
  const isList = parameter.kind === 'arguments' || parameter.kind === 'list'
  if (isList && Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string'))
    return value
  if (isList) throw new UsageError(`${typedParameter(name, parameter)} must be one or more words`, name)
  if (parameter.kind === 'choices' && Array.isArray(value)) return valueOf(name, parameter, value.join(','))
  if (parameter.kind === 'number' && typeof value === 'number') return valueOf(name, parameter, String(value))
  if (typeof value === 'string' && parameter.kind !== 'number') return valueOf(name, parameter, value)
  throw new UsageError(
    `${typedParameter(name, parameter)} must be ${parameter.kind === 'number' ? 'a number' : 'a text'}`,
    name,
  )
}

export function isRequired(parameter: Parameter): boolean {
  if (parameter.kind === 'choice argument' || parameter.kind === 'arguments') return true
  return 'required' in parameter && parameter.required === true
}

/** A parameter as it is typed. */
export function typedParameter(name: string, parameter: Parameter): string {
  return isArgument(parameter) ? `<${optionName(name)}>` : `--${optionName(name)}`
}

/** Parses a typed value. @throws UsageError */
export function valueOf(name: string, parameter: Parameter, text: string): unknown {
  switch (parameter.kind) {
    case 'number': {
      const value = Number(text)
      if (/^\d+$/.test(text) && value >= parameter.min && value <= parameter.max) return value
      const range = `a whole number from ${parameter.min} to ${parameter.max}`
      throw new UsageError(`${typedParameter(name, parameter)} must be ${range}`, name)
    }
    case 'choice':
    case 'choice argument':
      if (parameter.choices.includes(text)) return text
      throw new UsageError(
        `${typedParameter(name, parameter)} must be one of ${parameter.choices.join(', ')}`,
        name,
      )
    case 'list':
      return parted(text)
    case 'choices': {
      const given = parted(text)
      if (given.length > 0 && given.every((each) => parameter.choices.includes(each))) return given
      const choices = parameter.choices.join(', ')
      throw new UsageError(
        `${typedParameter(name, parameter)} must be some of ${choices}, separated by commas`,
        name,
      )
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
