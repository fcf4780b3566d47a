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
