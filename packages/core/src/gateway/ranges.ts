import fresh from 'fresh'
import type { RawReply } from './raw.ts'

/** A file that is sent whole or in part. */
export interface RangedFile {
  /** Bytes. */
  size: number
  /** Of exactly these bytes; the entity tag is made of it. */
  version: string
  headers: Readonly<Record<string, string | undefined>>
  /** @param range the first and the last byte @returns undefined when the bytes are gone */
  read(range?: { start: number; end: number }): Promise<AsyncIterable<Uint8Array> | undefined>
}

/** What a request asks for. */
export interface RangeRequest {
  method: string
  header(name: string): string | undefined
}

/**
 * Answers as RFC 9110 says: one range with 206, none that the file has with 416, and the whole file for several ranges, for a range
 * that cannot be read, and where `If-Range` names other bytes. `If-None-Match` is answered with 304.
 * @returns undefined when the bytes are gone
 */
export async function rangedReply(request: RangeRequest, file: RangedFile): Promise<RawReply | undefined> {
  const { method, header } = request
  const { size, version, read } = file
  const etag = `"${version}"`
  const headers = { ...file.headers, ETag: etag, 'Accept-Ranges': 'bytes' }
  const known = header('if-none-match')
  if (known !== undefined && fresh({ 'if-none-match': known }, { etag }))
    return { status: 304, headers, body: null }
  const ifRange = header('if-range')
  // A date would have to be that of the last change, which is not told.
  const range = ifRange === undefined || ifRange === etag ? parseRange(header('range'), size) : 'whole'
  if (range === 'none')
    return {
      status: 416,
      headers: {
        ...headers,
        'Content-Type': json,
        'Cache-Control': 'no-store',
        'Content-Range': `bytes */${size}`,
      },
      body: JSON.stringify({
        error: {
          code: 'BAD_REQUEST',
          message: `The file has ${size} bytes, and none of them is in the range`,
        },
      }),
    }
  const length = range === 'whole' ? size : range.end - range.start + 1
  const lengthHeader = { 'Content-Length': String(length) }
  const part = range === 'whole' ? {} : { 'Content-Range': `bytes ${range.start}-${range.end}/${size}` }
  // For HEAD nothing is opened; the body is never read.
  const body =
    method === 'HEAD' || length === 0 ? nothing() : await read(range === 'whole' ? undefined : range)
  if (!body) return undefined
  return {
    status: range === 'whole' ? 200 : 206,
    headers: { ...headers, ...lengthHeader, ...part },
    body,
  }
}

const json = 'application/json; charset=utf-8'

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** @returns `whole` for what is no single range, `none` for a range that begins behind the end */
function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'whole' | 'none' {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Number(last)
  if (last !== '' && end < start) return 'whole'
  return start >= size ? 'none' : { start, end: Math.min(end, size - 1) }
}
