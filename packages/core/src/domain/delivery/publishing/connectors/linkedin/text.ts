/**
 * A text in LinkedIn's “little” format: its marks are escaped, since one that is not silently ends the post, and hashtags are
 * written as such.
 */
export function commentaryOf(text: string): string {
  return text.replace(/(?<=^|\s)#([\p{L}\p{N}]+)|[\\|{}@[\]()<>#*_~]/gu, (mark, tag: string | undefined) =>
    tag === undefined ? `\\${mark}` : `{hashtag|\\#|${tag}}`,
  )
}

/** What a text in that format reads as. */
export function plainOf(commentary: string): string {
  return commentary.replace(/\{hashtag\|\\#\|([^{}|]+)\}/g, '#$1').replace(/\\([\\|{}@[\]()<>#*_~])/g, '$1')
}
