/** A command line taken apart by the grammar of the terminal. */
export interface Slash {
  name: string
  args: string[]
  options: Record<string, string>
}

/**
 * Reads `/name args --option value`: values with spaces stand in double quotes, in which a backslash keeps what follows it.
 * @throws Error for anything else
 */
export function parseSlash(line: string): Slash {
  const words: Array<{ text: string; quoted: boolean }> = []
  let rest = line
  while (rest !== '') {
    const match = /^(?:"((?:[^"\\\n]|\\["\\])*)"|([^\s"\\]+))(?: |$)/.exec(rest)
    if (!match) throw new Error(`not a command: ${line}`)
    const quoted = match[1] !== undefined
    words.push({ text: quoted ? (match[1] ?? '').replace(/\\(["\\])/g, '$1') : (match[2] ?? ''), quoted })
    rest = rest.slice(match[0].length)
  }
  const [first, ...more] = words
  if (!first || first.quoted || !/^\/[a-z]+$/.test(first.text)) throw new Error(`not a command: ${line}`)
  const slash: Slash = { name: first.text.slice(1), args: [], options: {} }
  for (let at = 0; at < more.length; at += 1) {
    const word = more[at]
    if (!word || word.quoted || !word.text.startsWith('--')) {
      slash.args.push(word?.text ?? '')
      continue
    }
    const value = more[at + 1]
    if (!value || (!value.quoted && value.text.startsWith('--'))) throw new Error(`no value for ${word.text}`)
    slash.options[word.text.slice(2)] = value.text
    at += 1
  }
  return slash
}

const placed: Record<string, string[]> = {
  bulk: ['action'],
  run: ['role', 'prompt'],
  approve: ['ids'],
  reject: ['ids'],
  revise: ['ids'],
}

/** The command as data, as it was before it was written. */
export function toFields({ name, args, options }: Slash): Record<string, unknown> {
  const isAgent = (name === 'pause' || name === 'resume') && options['tenant'] !== undefined
  const names = isAgent ? ['role'] : (placed[name] ?? ['id'])
  const fields: Record<string, unknown> = { name }
  names.forEach((field, at) => {
    if (field === 'ids') fields['ids'] = args
    else if (args[at] !== undefined) fields[field] = args[at]
  })
  if (names[0] !== 'ids' && args.length > names.length) throw new Error(`too much for /${name}`)
  for (const [key, value] of Object.entries(options))
    fields[key] = key === 'ids' ? value.split(',') : key === 'older' ? Number(value) : value
  return fields
}
