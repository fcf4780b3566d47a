import { endingOf } from '../../../media/addresses.ts'
import type { NamedAsset } from '../../../media/queries.ts'
import { showPictures } from '../assets.ts'
import type { PublishCall } from '../connector.ts'
import type { MediaFile } from '../picture.ts'
import type { OutgoingPiece } from '../piece.ts'

/** A picture that a platform is to keep. */
export interface PictureUpload {
  asset: NamedAsset
  /** In words, for those who cannot see it; may be empty. */
  alt: string
  /** Of this asset in this piece, and of nothing else; the same at every attempt. */
  name: string
  /** The same with the ending of its type. */
  fileName: string
}

/** Puts a file where the platform keeps them. @returns the address at which readers see it */
type Uploader = (call: PublishCall, file: MediaFile, upload: PictureUpload) => Promise<string>

/** How the addresses of what was uploaded are called in what is kept with the intent. */
const kept = 'shown.'

/** The pictures of a piece that the platform does not have yet, as far as the intent knows. */
export function missingUploads(call: PublishCall, { key, media }: OutgoingPiece): PictureUpload[] {
  return media.flatMap(({ asset, alt }) => {
    if (!asset || call.progress[kept + asset.id] !== undefined) return []
    const name = `${key}-${asset.id}`.toLowerCase()
    return [{ asset, alt, name, fileName: `${name}.${endingOf(asset.mimeType)}` }]
  })
}

/** Keeps where readers see an upload. */
export const keepUpload = (call: PublishCall, { asset }: PictureUpload, address: string): Promise<void> =>
  call.save({ ...call.progress, [kept + asset.id]: address })

/** The HTML of a piece with its pictures at the addresses that the platform gives them, each uploaded once. */
export async function withUploads(
  call: PublishCall,
  piece: OutgoingPiece,
  upload: Uploader,
): Promise<string> {
  for (const one of missingUploads(call, piece)) {
    const file = await call.fetch({ url: '', alt: '', asset: one.asset })
    await keepUpload(call, one, await upload(call, file, one))
  }
  const addresses = new Map<string, string>()
  for (const { url, asset } of piece.media) {
    const address = asset && call.progress[kept + asset.id]
    if (address !== undefined) addresses.set(url, address)
  }
  return showPictures(piece.html, piece.media, addresses)
}
