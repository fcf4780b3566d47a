import type { Ctx } from '../../kernel/context.ts'
import type { PhotoSearch } from '../../platform/images/photo-search.ts'
import { listAssets } from './queries.ts'
import type { AssetItem, FoundImages, ImageSearch } from './schemas.ts'

type Found = FoundImages['data'][number]

/**
 * The tenant's images in which the words are found, and then those of the configured service. A service that fails takes nothing from the
 * tenant's own. Serves `GET /media/v1/images/search`.
 */
export async function searchImages(ctx: Ctx, { q, limit }: ImageSearch): Promise<FoundImages> {
  const { photos } = ctx.services
  const own = await listAssets(ctx, { search: q, 'filter.kind': 'image', limit })
  const data = own.data.map(toFound)
  const left = limit - data.length
  if (!photos) return { data, provider: 'none' }
  if (left <= 0 || q === undefined) return { data, provider: 'not_needed' }
  try {
    const found = await photos.search(q, left)
    const more = found.map((one): Found => ({ source: 'provider', assetId: null, altText: null, ...one }))
    return { data: [...data, ...more], provider: 'ok' }
  } catch (error) {
    ctx.log.warn('the image service failed', { error })
    return { data, provider: 'failed' }
  }
}

declare module '../../kernel/services.ts' {
  interface Services {
    /** Finds images beyond those of the tenant; undefined where no service is configured. */
    photos: PhotoSearch | undefined
  }
}

function toFound({ id, name, altText, width, height }: AssetItem): Found {
  const url = `/media/v1/assets/${id}/content`
  return {
    source: 'tenant',
    assetId: id,
    title: name,
    altText,
    url,
    thumbnailUrl: `${url}?w=320`,
    width,
    height,
    author: null,
    licence: null,
    sourceUrl: null,
  }
}
