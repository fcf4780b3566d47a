import type { IncomingHttpHeaders } from 'node:http'

/** A file in the media library of a site. */
export interface SiteMedia {
  id: number
  slug: string
  title: string
  source_url: string
  alt_text: string
  mime_type: string
  bytes: Buffer
}

interface MediaRequest {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  bytes: Buffer
}
/** With the code of a refusal, or a body. */
export type SiteAnswer = { status: number; body: unknown } | { status: number; code: string }

/**
 * The routes `/wp/v2/media` of WordPress 6.1: a file comes as it is, its name in `Content-Disposition`, and its fields in the query.
 * @param id of the path, if there is one
 */
export function mediaRoutes(
  library: Map<number, SiteMedia>,
  id: number | undefined,
  { method, url, headers, bytes }: MediaRequest,
): SiteAnswer {
  const shown = (media: SiteMedia) => ({ ...media, bytes: undefined, title: { raw: media.title } })
  const query = url.searchParams
  if (id !== undefined) {
    const media = library.get(id)
    if (!media) return { status: 404, code: 'rest_post_invalid_id' }
    if (method === 'POST') media.alt_text = (JSON.parse(bytes.toString()) as { alt_text: string }).alt_text
    return { status: 200, body: shown(media) }
  }
  if (method === 'GET') {
    const slugs = (query.get('slug') ?? '').split(',')
    return { status: 200, body: [...library.values()].filter(({ slug }) => slugs.includes(slug)).map(shown) }
  }
  const [, fileName] = /^attachment; filename="([^"]+)"$/.exec(String(headers['content-disposition'])) ?? []
  if (fileName === undefined) return { status: 400, code: 'rest_upload_no_content_disposition' }
  const type = String(headers['content-type'])
  if (!/^image\/(?:jpeg|png|gif|webp)$/.test(type)) return { status: 500, code: 'rest_upload_sideload_error' }
  const made: SiteMedia = {
    id: 900 + library.size,
    slug: query.get('slug') ?? fileName.replace(/\.\w+$/, ''),
    title: query.get('title') ?? '',
    source_url: `${url.origin}/wp-content/uploads/${fileName}`,
    alt_text: '',
    mime_type: type,
    bytes,
  }
  library.set(made.id, made)
  return { status: 201, body: shown(made) }
}
