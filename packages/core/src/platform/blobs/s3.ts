import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import PQueue from 'p-queue'
import { randomToken } from '../crypto/hash.ts'
import { BlobError, type Blobs, isBlobKey, type ListedBlob, requireKey } from './blobs.ts'
import type { Bucket } from './s3-requests.ts'
import { readAnswer } from './s3-xml.ts'

export interface BucketBlobsOptions {
  bucket: Bucket
  /** As in the URL: empty, or with a final `/`. */
  prefix: string
  /** Holds files for as long as they are read. */
  temporary: string
  /** Bytes of a part, which is in memory; default 8 MiB. The protocol takes 5 MiB or more, and 10,000 parts. */
  partBytes?: number
  close(): Promise<void>
}

/** Files of this machine that are read at a time. */
const mostFiles = 4

/** Blobs in a bucket with the interface of Amazon S3. */
export function createBucketBlobs(options: BucketBlobsOptions): Blobs {
  const { bucket, prefix, temporary, partBytes = 8 * 1024 * 1024, close } = options
  const files = new PQueue({ concurrency: mostFiles })

  const exists = async (key: string) =>
    (await bucket.send({ method: 'HEAD', key, verb: 'looked up' })) !== undefined

  const put: Blobs['put'] = async (key, source) => {
    requireKey(key)
    const hash = createHash('sha256')
    let size = 0
    const upload = createUpload(bucket, key)
    try {
      const bytes = 'sha256' in source ? createReadStream(source.path) : source
      for await (const part of inParts(bytes, partBytes)) {
        hash.update(part.bytes)
        size += part.bytes.byteLength
        if (part.isOnly) await whole(bucket, key, part.bytes)
        else await upload.add(part.bytes)
      }
      await upload.complete()
    } catch (error) {
      await upload.abort()
      throw error
    }
    return { size, sha256: hash.digest('hex') }
  }

  const stream: Blobs['stream'] = async (key, range) => {
    requireKey(key)
    return (await bucket.send({ method: 'GET', key, range, verb: 'read' }))?.body
  }

  const remove: Blobs['remove'] = async (key) => {
    requireKey(key)
    if (!(await exists(key))) return false
    await bucket.send({ method: 'DELETE', key, verb: 'removed' })
    return true
  }

  return {
    put,
    stream,
    remove,
    async get(key) {
      requireKey(key)
      const answer = await bucket.send({ method: 'GET', key, verb: 'read' })
      return answer && whileReading(key, answer.bytes())
    },
    withFile: async (key, read) => {
      requireKey(key)
      return files.add(async () => {
        const body = await stream(key)
        if (!body) return read(undefined)
        await mkdir(temporary, { recursive: true, mode: 0o700 })
        const path = join(temporary, randomToken(12))
        try {
          const bytes = Readable.fromWeb(body as never)
          await whileReading(key, pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 })))
          return await read(path)
        } finally {
          await unlink(path).catch(() => {})
        }
      })
    },
    async *list(under) {
      if (under !== undefined) requireKey(under)
      const below = under === undefined ? prefix : `${prefix}${under}/`
      let next: string | undefined
      do {
        const query = {
          'list-type': '2',
          prefix: below,
          ...(next !== undefined && { 'continuation-token': next }),
        }
        const answer = await bucket.send({ method: 'GET', query, verb: 'listed' })
        const page = await readAnswer((await answer?.text()) ?? '')
        for (const entry of page.all('Contents')) {
          const key = entry.text('Key')?.slice(prefix.length) ?? ''
          const writtenOn = new Date(entry.text('LastModified') ?? 0)
          if (isBlobKey(key)) yield { key, size: Number(entry.text('Size')), writtenOn } satisfies ListedBlob
        }
        next = page.text('IsTruncated') === 'true' ? page.text('NextContinuationToken') : undefined
      } while (next !== undefined)
    },
    async link(key, { seconds, contentType }) {
      requireKey(key)
      return bucket.signedUrl(key, { seconds, contentType })
    },
    tidy: async (before) =>
      (await abortUploads(bucket, prefix, before)) + (await removeFiles(temporary, before)),
    async check() {
      const key = `check-${randomToken(9).replace(/^[-_]/, '0')}`
      await put(key, Buffer.from(key))
      await remove(key)
    },
    close,
  }
}

async function whole(bucket: Bucket, key: string, body: Uint8Array): Promise<void> {
  await bucket.send({ method: 'PUT', key, body, verb: 'written' })
}

/** An upload in parts. The bucket shows nothing of it before it is complete. */
function createUpload(bucket: Bucket, key: string) {
  const etags: string[] = []
  let uploadId: string | undefined
  const verb = 'written'
  return {
    async add(body: Uint8Array): Promise<void> {
      if (uploadId === undefined) {
        const begun = await bucket.send({ method: 'POST', key, query: { uploads: '' }, verb })
        uploadId = (await readAnswer((await begun?.text()) ?? '')).text('UploadId')
        if (!uploadId) throw new BlobError('io', `Blob ${key} could not be written: the upload has no id.`)
      }
      const query = { partNumber: String(etags.length + 1), uploadId }
      const answer = await bucket.send({ method: 'PUT', key, query, body, verb })
      etags.push(answer?.headers.get('etag') ?? '')
    },
    async complete(): Promise<void> {
      if (uploadId === undefined) return
      const parts = etags.map(
        (etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
      )
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`)
      const answer = await bucket.send({ method: 'POST', key, query: { uploadId }, body, verb })
      // It answers 200 before it knows how this ends.
      const { name, text } = await readAnswer((await answer?.text()) ?? '')
      if (name === 'CompleteMultipartUploadResult') return
      throw new BlobError('io', `Blob ${key} could not be written: ${text('Code') ?? 'no result'}.`)
    },
    async abort(): Promise<void> {
      if (uploadId === undefined) return
      await bucket.send({ method: 'DELETE', key, query: { uploadId }, verb }).catch(() => {})
    },
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Cuts a source into parts of one size, the last of which may be shorter; one that is whole in one part says so. */
async function* inParts(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<{ bytes: Uint8Array; isOnly: boolean }> {
  let waiting: Uint8Array[] = []
  let size = 0
  let given = 0
  const part = (isOnly: boolean) => {
    const bytes = waiting.length === 1 ? (waiting[0] as Uint8Array) : Buffer.concat(waiting)
    waiting = []
    size = 0
    given += 1
    return { bytes, isOnly }
  }
  for await (const piece of source instanceof Uint8Array ? [source] : source) {
    for (let at = 0; at < piece.byteLength; ) {
      // More follows, so what waits is not the end.
      if (size === partBytes) yield part(false)
      const taken = piece.subarray(at, at + partBytes - size)
      waiting.push(taken)
      size += taken.byteLength
      at += taken.byteLength
    }
  }
  yield part(given === 0)
}

async function whileReading<T>(key: string, read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    const code = (cause as { code?: string }).code
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new BlobError('full', `Blob ${key} could not be read: no room left on the disk.`, { cause })
    throw new BlobError('io', `Blob ${key} could not be read.`, { cause })
  })
}

async function abortUploads(bucket: Bucket, prefix: string, before: Date): Promise<number> {
  let aborted = 0
  // What is aborted leaves the list, so the first page is the only one.
  const answer = await bucket.send({ method: 'GET', query: { uploads: '', prefix }, verb: 'listed' })
  for (const upload of (await readAnswer((await answer?.text()) ?? '')).all('Upload')) {
    const key = upload.text('Key')?.slice(prefix.length) ?? ''
    const uploadId = upload.text('UploadId') ?? ''
    if (!isBlobKey(key) || !(new Date(upload.text('Initiated') ?? Number.NaN) < before)) continue
    await bucket.send({ method: 'DELETE', key, query: { uploadId }, verb: 'tidied' })
    aborted += 1
  }
  return aborted
}

async function removeFiles(folder: string, before: Date): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const { mtime } = await stat(path).catch(() => ({ mtime: before }))
    if (mtime >= before) continue
    await unlink(path).catch(() => {})
    removed += 1
  }
  return removed
}
