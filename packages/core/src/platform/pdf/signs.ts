/** Marks that say how the sign before them is drawn; without it they would be a box of their own. */
const drawing = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu

/** All that directs or hides, but the two that join and part letters in the scripts that need it. */
const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** A text as it is set in one line: in composed letters, without what directs and is not seen itself. */
export function toSigns(text: string): string {
  return text
    .normalize('NFC')
    .replace(/(?!\u00a0)\s/gu, ' ')
    .replace(drawing, '')
    .replace(unseen, '')
}
