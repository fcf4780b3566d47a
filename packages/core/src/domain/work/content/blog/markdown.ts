/**
 * What a blog post's Markdown says about itself. Pure text, no I/O. A text may be a megabyte of anything, so it is read line by line,
 * and no pattern here looks at a character more often than a few times.
 */

/** A line longer than this is no title, however it begins. */
const longestTitleLine = 2_000

/** The first heading, or the first line where there is none; at most 200 characters. */
export function titleOf(markdown: string): string {
  const lines = markdown.split('\n')
  let found: string | undefined
  for (const line of lines) {
    found = headingOf(line)
    if (found !== undefined) break
  }
  found ??= lines.find((text) => text.trim() !== '') ?? ''
  return plain(found.trim().slice(0, longestTitleLine)).slice(0, 200).trim() || 'Untitled'
}

function headingOf(line: string): string | undefined {
  if (!line.startsWith('#')) return undefined
  const marks = /^#{1,6}\s+/.exec(line)?.[0]
  if (marks === undefined) return undefined
  const text = line.slice(marks.length).trimEnd()
  return withoutEnd(text, '#').trimEnd() || text || undefined
}

/** The line “Meta description: …”, or null. */
export function metaDescriptionOf(markdown: string): string | null {
  const found = metaOf(markdown.split('\n'))
  return found && found.text.replace(/^["“](.*)["”]$/, '$1')
}

const metaStart = /^[\s>*_#-]*meta[ -]?description[*_\s]*:/i

interface Meta {
  text: string
  /** Where it stands, by the numbers of lines: from its name up to the end of its text. */
  from: number
  until: number
}

/** The text may stand behind its name, or on the next line that has one. */
function metaOf(lines: readonly string[]): Meta | null {
  for (const [from, line] of lines.entries()) {
    if (line.length < 'metadescription:'.length) continue
    const name = metaStart.exec(line)?.[0]
    if (name === undefined) continue
    let text = trimmed(line.slice(name.length))
    let until = from + 1
    while (text === '' && until < lines.length) {
      text = trimmed(lines[until] as string)
      until += 1
    }
    return text === '' ? null : { text, from, until }
  }
  return null
}

/** The text without its first heading, where it begins with one, and without its meta description: what is said around it. */
export function withoutFrontMatter(markdown: string): string {
  const lines = markdown.split('\n')
  const meta = metaOf(lines)
  if (meta) lines.splice(meta.from, meta.until - meta.from)
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first >= 0 && headingOf(lines[first] as string) !== undefined) lines.splice(0, first + 1)
  return lines.join('\n')
}

const trimmed = (text: string) => withoutEnd(text.replace(/^[*_\s]+/, ''), '*_ \t\r\u00a0')

function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end -= 1
  return text.slice(0, end)
}

/** Words that a reader sees: neither marks, addresses of links, code, nor the meta description. */
export function wordCountOf(markdown: string): number {
  const lines = markdown.split('\n')
  const meta = metaOf(lines)
  if (meta) lines.fill('', meta.from, meta.until)
  const word = /[\p{L}\p{N}]+(?:[’'.,-][\p{L}\p{N}]+)*/gu
  let count = 0
  for (const line of withoutCode(lines)) {
    if (line === '') continue
    const text = plain(line.replace(/<[^<>]{1,500}>/g, ' '))
    word.lastIndex = 0
    while (word.test(text)) count += 1
  }
  return count
}

/** Lines without blocks between fences; a fence that nothing closes is a line like others. */
function* withoutCode(lines: readonly string[]): Generator<string> {
  const last = new Map<string, number>()
  for (const [at, line] of lines.entries()) {
    const fence = fenceOf(line)
    if (fence !== undefined && line.trimEnd() === fence) last.set(fence, at)
  }
  let open: string | undefined
  for (const [at, line] of lines.entries()) {
    const fence = fenceOf(line)
    if (open !== undefined) {
      if (fence === open && line.trimEnd() === fence) open = undefined
    } else if (fence !== undefined && (last.get(fence) ?? -1) > at) open = fence
    else yield line
  }
}

const fenceOf = (line: string) =>
  line.startsWith('```') || line.startsWith('~~~') ? /^(?:`+|~+)/.exec(line)?.[0] : undefined

/** Letters and digits of a title in words joined by `-`, for an address; at most 80 characters. */
export function slugOf(title: string): string {
  const folded = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[’']/g, '')
  const words = folded.replace(/[^\p{L}\p{N}]+/gu, '-')
  return words.slice(0, 80).replace(/^-+|-+$/g, '') || 'post'
}

/** One line as it is read. */
function plain(line: string): string {
  return withoutAddresses(line)
    .replace(/[*_`~]+/g, '')
    .replace(/^#{1,6}\s+/, '')
}

/** A line with the words of its links and pictures in the place of them. */
function withoutAddresses(line: string): string {
  let text = ''
  let from = 0
  for (let middle = line.indexOf(']('); middle >= 0; middle = line.indexOf('](', from)) {
    const before = line.slice(from, middle)
    const start = before.indexOf('[', before.lastIndexOf(']') + 1)
    if (start < 0) {
      text += line.slice(from, middle + 2)
      from = middle + 2
      continue
    }
    const end = line.indexOf(')', middle + 2)
    if (end < 0) break
    text += before.slice(0, start).replace(/!$/, '') + before.slice(start + 1)
    from = end + 1
  }
  return text + line.slice(from)
}
