/** The first `length` characters of a text, never half a surrogate pair. */
export function preview(text: string, length: number): string {
  const cut = text.slice(0, length)
  const last = cut.charCodeAt(cut.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut
}
