import { checkAvif } from './avif.ts'
import { cleanGif } from './gif.ts'
import { type CleanImage, ImageFault } from './image.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

const cleaners = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/gif': cleanGif,
  'image/webp': cleanWebp,
  'image/avif': checkAvif,
} satisfies Record<string, (file: Buffer) => CleanImage>

/** The images that browsers show and that can run nothing. */
export type RasterType = keyof typeof cleaners
export const isRaster = (type: string): type is RasterType => Object.hasOwn(cleaners, type)

/** Of one picture, and of all pictures of an animation together. */
const mostPixels = { picture: 100_000_000, animation: 400_000_000 }

/**
 * Takes from an image what describes where and by whom it was made, and what is hidden behind its end.
 * @throws ImageFault for what is damaged, or too large to be shown
 */
export function cleanImage(type: RasterType, bytes: Uint8Array): CleanImage {
  const image = cleaners[type](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const pixels = image.width * image.height
  if (pixels > mostPixels.picture)
    throw new ImageFault(`An image may have ${mostPixels.picture / 1e6} megapixels, and this one has more`)
  if (pixels * image.frames > mostPixels.animation)
    throw new ImageFault(
      `The pictures of an animation may have ${mostPixels.animation / 1e6} megapixels together, and these have more`,
    )
  return image
}
