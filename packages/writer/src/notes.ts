/** The last line of every text, which names the writer. */
export const PROVENANCE = '*Composed from the brief by Copydesk’s built-in writer. No model was used.*'

/** A text without the editor's note and the closing line that `compose` appends. */
export function withoutNotes(text: string): string {
  const end = text.lastIndexOf(PROVENANCE)
  if (end < 0) return text.trim()
  const rule = text.lastIndexOf('\n---\n', end)
  return text.slice(0, rule < 0 ? end : rule).trim()
}
