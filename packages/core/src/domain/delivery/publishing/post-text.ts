import type { NamedAsset } from '../../media/queries.ts'

/** A picture of a post, as the text names it. */
export interface PostPicture {
  /** Where it is on the web, or `asset:` with the id of an asset of the tenant. */
  url: string
  /** For those who cannot see it. */
  alt: string
  /** The asset that it is; left out of one that is elsewhere, or nowhere. */
  asset?: NamedAsset
}

/** A text as a social network shows it. */
export interface PostText {
  text: string
  media: readonly PostPicture[]
}

const picture = /!\[([^[\]\n]{0,1000})\]\((https?:\/\/[^\s()<>]{1,2000}|asset:[^\s()<>]{0,200})\)/g
const link = /\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)/g

/**
 * A post of its Markdown: networks show plain text. Pictures go along, links stand behind their words, and the marks of headings
 * and emphasis are left out.
 */
export function toPost(markdown: string): PostText {
  const media: PostPicture[] = []
  const text = markdown
    .replace(picture, (_, alt: string, url: string) => {
      media.push({ url, alt: alt.trim() })
      return ''
    })
    .replace(link, (_, words: string, url: string) => (words.trim() === url ? url : `${words} ${url}`))
    .split('\n')
    .map((line) =>
      line
        .replace(/^#{1,6} +/, '')
        .replace(/(\*\*|__)(?=\S)([^*_\n]{1,2000}?)\1/g, '$2')
        .trimEnd(),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return { text, media }
}
