import { type Argument, type Command, Option } from 'commander'
import { areFields } from './json-fields.ts'

const long = '--json'

/** The option of every command for output as JSON. */
export function jsonOption(): Option {
  return new Option(
    `${long} [fields]`,
    'print data as JSON on stdout; optionally only these fields, as in --json=id,title',
  )
}

/**
 * Makes a command line unambiguous: `--json` with its fields after `=`, or without a value. A word after
 * `--json` is a list of fields when the command takes no further argument, or only ids, which cannot be field
 * names.
 */
export function withFieldsAttached(program: Command, words: readonly string[]): string[] {
  const end = words.indexOf('--')
  const last = end < 0 ? words.length : end
  let command = program
  let places = words.slice(last + 1).length
  let fieldsAt = -1
  for (let at = 0; at < last; at += 1) {
    const word = words[at] ?? ''
    const isLeaf = command.commands.length === 0
    if (word === long) {
      if (isLeaf && at + 1 < last && areFields(words[at + 1] ?? '')) fieldsAt = at += 1
    } else if (word.startsWith('-') && word !== '-') at += valuesBehind(command, words, at)
    else {
      const below = isLeaf ? undefined : command.commands.find((each) => each.name() === word)
      if (below) command = below
      else places += 1
    }
  }
  const open = openArgument(command, places)
  const isTaken = fieldsAt >= 0 && (!open || takesIds(open))
  return words.flatMap((word, at) => {
    if (at >= last) return [word]
    if (isTaken && at === fieldsAt) return []
    if (word !== long) return [word]
    return [isTaken && at === fieldsAt - 1 ? `${long}=${words[fieldsAt]}` : `${long}=`]
  })
}

/** How many of the words after an option are its values. */
function valuesBehind(command: Command, words: readonly string[], at: number): number {
  const option = optionOf(command, words[at] ?? '')
  const isValue = (index: number) => index < words.length && !(words[index] ?? '').startsWith('-')
  if (!option || (!option.required && !option.optional)) return 0
  let count = option.required || isValue(at + 1) ? 1 : 0
  if (option.variadic) while (count > 0 && isValue(at + count + 1)) count += 1
  return count
}

function optionOf(command: Command, word: string): Option | undefined {
  for (let each: Command | null = command; each; each = each.parent) {
    const found = each.options.find((option) => option.long === word || option.short === word)
    if (found) return found
  }
  return undefined
}

/** The argument that a further word would be; undefined when that would be one too many. */
function openArgument({ registeredArguments: all }: Command, places: number): Argument | undefined {
  const last = all.at(-1)
  return all[places] ?? (last?.variadic ? last : undefined)
}

const takesIds = (argument: Argument) => /^ids?$/.test(argument.name().replace(/\.+$/, ''))
