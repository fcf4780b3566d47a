import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { PublishCall } from '../../connector.ts'
import type { MediaFile } from '../../picture.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { keepUpload, missingUploads, type PictureUpload, withUploads } from '../uploads.ts'
import { asHtml, requestSite, routeOf } from './site.ts'

const Media = z.object({ id: z.int(), slug: z.string(), source_url: z.string() })
type Media = z.output<typeof Media>

/** The HTML of an article with its pictures in the media library of the site. One whose answer was lost is found by its slug. */
export async function withMedia(call: PublishCall, piece: OutgoingPiece): Promise<string> {
  const missing = missingUploads(call, piece)
  if (missing.length > 0) {
    const found = await findMedia(call, missing)
    for (const upload of missing) {
      const media = found.get(upload.name)
      if (media) await keepUpload(call, upload, await described(call, media, upload))
    }
  }
  return withUploads(call, piece, uploadMedia)
}

async function findMedia(call: PublishCall, uploads: readonly PictureUpload[]): Promise<Map<string, Media>> {
  const slug = uploads.map(({ name }) => name).join(',')
  const url = routeOf(call, 'media', { slug, per_page: '100', context: 'edit' })
  const media = await requestSite(call, { url, effect: 'read' }, z.array(Media))
  return new Map(media.map((one) => [one.slug, one]))
}

async function uploadMedia(
  call: PublishCall,
  { bytes, type }: MediaFile,
  upload: PictureUpload,
): Promise<string> {
  const { name, fileName, asset } = upload
  const url = routeOf(call, 'media', { slug: name, title: asHtml(asset.name) })
  const disposition = `attachment; filename="${fileName}"`
  const headers = { 'content-type': type, 'content-disposition': disposition }
  // A second one would be found by its slug before it is made, or lies there unseen.
  const media = await requestSite(call, { method: 'POST', url, headers, bytes, effect: 'repeatable' }, Media)
  return described(call, media, upload)
}

/** Says in words what a picture shows. @returns where readers see it */
async function described(call: PublishCall, { id, source_url: address }: Media, { alt }: PictureUpload) {
  if (!/^https?:\/\//.test(address))
    throw new PlatformError('policy', 'The site does not say where it shows the picture')
  const url = routeOf(call, `media/${id}`)
  const json = { alt_text: alt }
  if (alt !== '') await requestSite(call, { method: 'POST', url, json, effect: 'repeatable' }, Media)
  return address
}
