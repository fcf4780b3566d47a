import sharp from 'sharp'
import { answer, settings } from '../servers/answer.ts'

const { photos, width } = settings<{ photos: string[]; width: number }>()

/** Two images at a time, as the server makes them. */
const resize = async () => {
  const one = (path: string) =>
    sharp(path, { sequentialRead: true }).autoOrient().resize({ width }).webp({ quality: 80 }).toBuffer()
  for (let n = 0; n < photos.length; n += 2) await Promise.all(photos.slice(n, n + 2).map(one))
  return photos.length
}
sharp.cache(false)
answer({ resize })
process.send?.({ port: 0 })
