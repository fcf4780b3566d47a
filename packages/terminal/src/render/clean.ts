/** Bidirectional controls and invisible characters, with which a text can look like another. */
const misleading =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
const breaks = /\r\n|[\n\r\u0085\u2028\u2029]/gu
const controls = /[\u0000-\u001f\u007f-\u009f]/gu
const plain = /^[ -~]*$/

/**
 * Text of others in one line, harmless for a terminal: control characters are replaced by visible symbols, so
 * that an escape sequence in a title is shown and not executed; line breaks become spaces.
 */
export function clean(text: string): string {
  if (plain.test(text)) return text
  return text
    .replace(breaks, ' ')
    .replace(/\t/g, ' ')
    .replace(misleading, '\ufffd')
    .replace(controls, picture)
}

/** The same for a text of several lines; tabs become two spaces. */
export function cleanLines(text: string): string[] {
  return text.split(breaks).map((line) => clean(line.replaceAll('\t', '  ')))
}

function picture(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x7f) return '\u2421'
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '\ufffd'
}

/**
 * Characters that a terminal interprets, bidirectional controls and invisible characters; JSON itself permits
 * them.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
const layout = /[\t\n\r]/

/**
 * A value as JSON whose text is harmless for a terminal: invisible characters are written as `\uXXXX`, so
 * that programs read the same value.
 * @param indent spaces for each level; without it all on one line
 */
export function toJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, null, indent) ?? 'null')
}

/**
 * The same for text that contains JSON among other things, such as the blocks of an event stream; its lines
 * are kept.
 */
export function escapeUnseen(text: string): string {
  return text.replace(unseen, (character) => (layout.test(character) ? character : escaped(character)))
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')
}
