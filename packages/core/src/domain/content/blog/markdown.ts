/** What a blog post's Markdown says about itself. Pure text, no I/O. */

const metaLine = /^[\s>*_#-]*meta[ -]?description[*_\s]*:[*_\s]*(.+?)[*_\s]*$/im

/** The first heading, or the first line where there is none; at most 200 characters. */
export function titleOf(markdown: string): string {
  const heading = /^#{1,6}\s+(.+?)\s*#*\s*$/m.exec(markdown)?.[1]
  const line = heading ?? markdown.split('\n').find((text) => text.trim() !== '') ?? ''
  return plain(line).slice(0, 200).trim() || 'Untitled'
}

/** The line “Meta description: …”, or null. */
export function metaDescriptionOf(markdown: string): string | null {
  return (
    metaLine
      .exec(markdown)?.[1]
      ?.trim()
      .replace(/^["“](.*)["”]$/, '$1') ?? null
  )
}

/** Words that a reader sees: neither marks, addresses of links, code, nor the meta description. */
export function wordCountOf(markdown: string): number {
  const text = markdown
    .replace(metaLine, '')
    .replace(/^(`{3,}|~{3,})[\s\S]*?^\1\s*$/gm, ' ')
    .replace(/<[^>\n]{1,500}>/g, ' ')
  return plain(text).match(/[\p{L}\p{N}]+(?:[’'.,-][\p{L}\p{N}]+)*/gu)?.length ?? 0
}

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

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/[*_`~]+/g, '')
    .replace(/^#{1,6}\s+/gm, '')
}
