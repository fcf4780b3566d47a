import { z } from 'zod'
import { imageWidths } from '../../platform/images/resizer.ts'
import { isoDate, page, pageQuery, queryInt, ulid } from '../../platform/wire.ts'
import { assetKinds } from './entities.ts'

const mebibyte = 1024 * 1024
/** The largest file of each kind, bytes. */
export const maxAssetBytes = {
  image: 25 * mebibyte,
  vector: mebibyte,
  document: 50 * mebibyte,
  video: 1_024 * mebibyte,
}

const mostTags = 20
const name = z.string().trim().min(1).max(255)
const altText = z.string().trim().max(1_000)
const tag = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,49}$/u,
    'A tag has 1 to 50 letters, digits, spaces, ".", "_" and "-"',
  )
const tags = z
  .array(tag)
  .max(mostTags, `An asset has at most ${mostTags} tags`)
  .transform((all) => [...new Set(all)])

export const NewAsset = z.object({
  /** Default: the name of the file. */
  name: name.optional(),
  altText: altText.optional(),
  /** Separated by commas. */
  tags: z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    )
    .pipe(tags)
    .optional(),
})
export type NewAsset = z.output<typeof NewAsset>

/** What is not named stays as it is; null empties the text. */
export const AssetChange = z.object({
  name: name.optional(),
  altText: altText.nullable().optional(),
  tags: tags.optional(),
})
export type AssetChange = z.output<typeof AssetChange>

export const AssetItem = z.object({
  id: ulid,
  /** How a text shows it: `![words](asset:01J…)`. */
  reference: z.string(),
  name: z.string(),
  altText: z.string().nullable(),
  tags: z.array(z.string()),
  kind: z.enum(assetKinds),
  /** By what is in the file. */
  mimeType: z.string(),
  sizeBytes: z.int(),
  /** As it is shown, pixels; null for what is no raster image. */
  width: z.int().nullable(),
  height: z.int().nullable(),
  /** SHA-256 of the content, lower-case hex. */
  sha256: z.string(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type AssetItem = z.output<typeof AssetItem>
export const AssetPage = page(AssetItem)
export const AssetQuery = pageQuery.extend({
  search: z.string().trim().min(1).max(200).optional(),
  'filter.kind': z.enum(assetKinds).optional(),
  'filter.tag': tag.optional(),
})
export type AssetQuery = z.output<typeof AssetQuery>

export const ContentQuery = z.object({
  /** In pixels, one of a few; an image that is not wider stays as it is. */
  w: z
    .preprocess(
      (given) => (given === undefined ? undefined : Number(given)),
      z.literal(imageWidths).optional(),
    )
    .optional(),
})

export const ImageSearch = z.object({
  /** Without words, the newest images of the tenant. */
  q: z.string().trim().min(1).max(200).optional(),
  limit: queryInt(1, 50).default(20),
})
export type ImageSearch = z.output<typeof ImageSearch>

export const FoundImages = z.object({
  data: z.array(
    z.object({
      source: z.enum(['tenant', 'provider']),
      /** Of an asset of the tenant. */
      assetId: ulid.nullable(),
      title: z.string(),
      altText: z.string().nullable(),
      url: z.string(),
      thumbnailUrl: z.string(),
      width: z.int().nullable(),
      height: z.int().nullable(),
      author: z.string().nullable(),
      licence: z.string().nullable(),
      sourceUrl: z.string().nullable(),
    }),
  ),
  /** What came of the search beyond the tenant's assets. */
  provider: z.enum(['none', 'not_needed', 'ok', 'failed']),
})
export type FoundImages = z.output<typeof FoundImages>
