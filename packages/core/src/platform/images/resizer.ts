import PQueue from 'p-queue'
import type { Blobs } from '../blobs/blobs.ts'
import type { Logger } from '../log.ts'
import { isAffordable } from './decoding.ts'

/** The widths to which images are made smaller: a short list, or anyone could fill the disk with all others. */
export const imageWidths = [160, 320, 640, 960, 1280, 1920] as const
export type ImageWidth = (typeof imageWidths)[number]

export interface Resizer {
  /**
   * A raster image made smaller, as WebP, turned as it is to be shown. What was made before comes from a cache of this machine.
   * @param sha256 of the file, by which the cache knows it
   * @param withFile hands over the file, only when it is needed
   * @returns undefined where the optional package sharp is not installed, or cannot read the image, or would take too much for it
   */
  resize(
    sha256: string,
    width: ImageWidth,
    withFile: <T>(read: (path: string | undefined) => Promise<T>) => Promise<T>,
  ): Promise<Uint8Array | undefined>
}

/** What an image may take; the seconds are those of the clock, and there for what no header gives away. */
const limits = { pixels: 100_000_000, seconds: 6, atATime: 2 }
const quality = 80

/** Loaders of the formats that are taken. All others stay shut, that of SVG too, which reads other files. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif'].map((name) => `VipsForeignLoad${name}`)

/**
 * @param cache keeps what was made; bounded by `maxCacheBytes`
 */
export function createResizer(options: { cache: Blobs; log: Logger; maxCacheBytes?: number }): Resizer {
  const { cache, log, maxCacheBytes = 512 * 1024 * 1024 } = options
  const queue = new PQueue({ concurrency: limits.atATime })
  const underWay = new Map<string, Promise<Uint8Array | undefined>>()
  let loading: ReturnType<typeof loadSharp> | undefined
  let written = Number.POSITIVE_INFINITY

  const keep = async (key: string, bytes: Uint8Array): Promise<void> => {
    // Counted from time to time only: what is over by then is small.
    if (written > maxCacheBytes / 16) {
      written = 0
      await shrink(cache, maxCacheBytes - maxCacheBytes / 8)
    }
    await cache.put(key, bytes)
    written += bytes.byteLength
  }

  const make = async (key: string, width: number, withFile: Parameters<Resizer['resize']>[2]) => {
    loading ??= loadSharp(log)
    const sharp = await loading
    if (!sharp) return undefined
    const bytes = await queue.add(() =>
      withFile(async (path) => {
        if (path === undefined) return undefined
        try {
          const image = sharp(path, {
            limitInputPixels: limits.pixels,
            sequentialRead: true,
            failOn: 'error',
          })
          if (!isAffordable(await image.metadata())) {
            log.info('an image stays in its own size, because reading it takes too much', { key })
            return undefined
          }
          return await image
            .autoOrient()
            .resize({ width, withoutEnlargement: true })
            .webp({ quality })
            .timeout({ seconds: limits.seconds })
            .toBuffer()
        } catch (error) {
          log.warn('an image could not be made smaller', { error })
          return undefined
        }
      }),
    )
    if (bytes)
      await keep(key, bytes).catch((error: unknown) => log.warn('the cache of images failed', { error }))
    return bytes
  }

  return {
    async resize(sha256, width, withFile) {
      const key = `${sha256}/w${width}`
      const found = await cache.get(key)
      if (found) return found
      let making = underWay.get(key)
      if (!making) {
        making = make(key, width, withFile).finally(() => underWay.delete(key))
        underWay.set(key, making)
      }
      return making
    },
  }
}

/** Removes the oldest of the cache until it holds no more than that. */
async function shrink(cache: Blobs, bytes: number): Promise<void> {
  const all: Array<{ key: string; size: number; writtenOn: Date }> = []
  for await (const one of cache.list()) all.push(one)
  let total = all.reduce((sum, { size }) => sum + size, 0)
  for (const { key, size } of all.toSorted((a, b) => a.writtenOn.getTime() - b.writtenOn.getTime())) {
    if (total <= bytes) return
    await cache.remove(key)
    total -= size
  }
}

/** A package with binaries, which an installation may do without. */
async function loadSharp(log: Logger) {
  try {
    const { default: sharp } = await import('sharp')
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: loaders })
    sharp.cache(false)
    return sharp
  } catch (error) {
    log.info('images are served in their own size only, because sharp is not installed', { error })
    return undefined
  }
}
