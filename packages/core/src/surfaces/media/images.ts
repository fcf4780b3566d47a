import { searchImages } from '../../domain/media/image-search.ts'
import { FoundImages, ImageSearch } from '../../domain/media/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const search = endpoint({
  id: 'media.images.search',
  route: 'GET /images/search',
  summary: 'Images by words: those of the tenant first, then those of the configured service',
  access: team,
  query: ImageSearch,
  reply: { 200: FoundImages },
}).handle((ctx, { query }) => searchImages(ctx, query))
