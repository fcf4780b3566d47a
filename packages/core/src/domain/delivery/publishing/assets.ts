import type { Ctx } from '../../../kernel/context.ts'
import { escapeHtml } from '../../../platform/mail/text.ts'
import type { AssetUser } from '../../media/entities.ts'
import { type NamedAsset, namedAssets } from '../../media/queries.ts'
import { idsNamedIn, isReference, mostReferences, referenceOf } from '../../media/references.ts'
import type { FileLimits, MediaLimits } from './connector.ts'
import type { PostPicture } from './post-text.ts'

/** The assets that a text names, by their references. */
export interface TextAssets {
  of: ReadonlyMap<string, NamedAsset>
  /** It names more than are looked at. */
  tooMany: boolean
}

/** What mail programs show. */
export const mailedFiles: FileLimits = {
  types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  maxBytes: 5_000_000,
}

/** Looks up what a text names in the media library of its tenant. @param user that of which it is the text */
export async function assetsOf(ctx: Ctx, text: string, user: AssetUser): Promise<TextAssets> {
  const named = await namedAssets(ctx, text, user)
  const of = new Map(Array.from(named, ([id, asset]) => [referenceOf(id), asset]))
  return { of, tooMany: idsNamedIn(text).length > mostReferences }
}

/** Pictures with what is known of those that are assets; their alternative text is that of the asset where the text has none. */
export function withAssets(pictures: readonly PostPicture[], { of }: TextAssets): PostPicture[] {
  return pictures.map((picture) => {
    const asset = of.get(picture.url)
    return asset ? { ...picture, alt: picture.alt || (asset.altText ?? ''), asset } : picture
  })
}

/** So many problems of one text are told. */
const mostProblems = 20

/** Why a channel cannot show some of these pictures, each problem once, in words; of pictures elsewhere nothing is known. */
export function pictureProblems(
  pictures: readonly PostPicture[],
  limits: Pick<MediaLimits, 'files' | 'fetched'>,
  { tooMany }: TextAssets,
): string[] {
  if (tooMany) return [`The text shows more than ${mostReferences} files of the media library`]
  const problems = pictures.flatMap(({ url, asset }) => {
    if (!isReference(url)) return []
    const words = asset ? assetFault(asset, limits) : `The media library has no “${url.slice(0, 60)}”`
    return words === undefined ? [] : [words]
  })
  return [...new Set(problems)].slice(0, mostProblems)
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1).replace('.0', '')

/** Why a channel cannot show an asset; undefined where it can. */
export function assetFault(
  { name, mimeType, sizeBytes }: NamedAsset,
  { files, fetched }: Pick<MediaLimits, 'files' | 'fetched'>,
): string | undefined {
  const ways = [files, fetched].filter((way): way is FileLimits => way !== undefined)
  const way = ways.find(({ types }) => types.includes(mimeType))
  const shown = name.slice(0, 100)
  if (!way) {
    const types = ways.flatMap((one) => one.types).join(', ')
    return `“${shown}” is ${mimeType}, and this channel takes ${types === '' ? 'no pictures' : types}`
  }
  if (sizeBytes <= way.maxBytes) return undefined
  return `“${shown}” has ${megabytes(sizeBytes)} MB, and this channel takes ${megabytes(way.maxBytes)} MB`
}

/** As `toArticle` writes it; a mark of the text itself is never written so. */
const image = /<img src="(asset:[^"]*)" alt="([^"]*)">/g

/** The assets that the HTML of an article shows, each once. */
export function picturesIn(html: string): PostPicture[] {
  const found = new Map<string, PostPicture>()
  for (const [, url = '', alt = ''] of html.matchAll(image))
    if (!found.has(url)) found.set(url, { url, alt: unescaped(alt) })
  return [...found.values()]
}

/** The HTML of an article with addresses in the place of references; words stand for a picture that has none. */
export function showPictures(
  html: string,
  pictures: readonly PostPicture[],
  addresses: ReadonlyMap<string, string>,
): string {
  const alts = new Map(pictures.map(({ url, asset }) => [url, escapeHtml(asset?.altText ?? '')]))
  return html.replace(image, (_, url: string, words: string) => {
    const address = addresses.get(url)
    const alt = words === '' ? (alts.get(url) ?? '') : words
    return address === undefined ? alt : `<img src="${escapeHtml(address)}" alt="${alt}">`
  })
}

const marks: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const unescaped = (text: string) => text.replace(/&(?:amp|lt|gt|quot);/g, (mark) => marks[mark] ?? mark)
