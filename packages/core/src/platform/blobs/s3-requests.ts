import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { sha256Hex } from '../crypto/hash.ts'
import type { HttpClient, OutboundResponse } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { BlobError } from './blobs.ts'
import type { BucketPlace } from './place.ts'
import { readAnswer } from './s3-xml.ts'

export interface BucketRequest {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without it the bucket itself. */
  key?: string | undefined
  query?: Record<string, string>
  range?: { start: number; end: number } | undefined
  body?: Uint8Array
  /** What is done, for the message of an error: `written`. */
  verb: string
}

/** Requests to one bucket, signed by Signature Version 4, each with the hash of its body. */
export interface Bucket {
  /**
   * @returns the answer; undefined for 404 of a key
   * @throws BlobError for every other status than 2xx, after several tries where trying again may help
   */
  send(request: BucketRequest): Promise<OutboundResponse | undefined>
  /** The URL by which anyone may read a blob for that long. */
  signedUrl(key: string, options: { seconds: number; contentType: string }): Promise<string>
}

const tries = 4
const firstPauseMs = 200
/** An answer that says nothing for that long has ended. */
const silenceMs = 60_000
const transient = new Set([429, 500, 502, 503, 504])
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'EntityTooLarge'])

export function createBucket(parts: { place: BucketPlace; http: HttpClient; clock: Clock }): Bucket {
  const { place, http, clock } = parts
  const { base, prefix, region, accessKeyId, secretAccessKey } = place
  /** Derived keys of a day, which take longer than a signature. */
  const cache = new Map<string, ArrayBuffer>()

  const signed = async (
    method: string,
    url: URL,
    given: { headers?: Record<string, string>; signQuery?: boolean },
  ) => {
    const { AwsV4Signer } = await import('aws4fetch')
    if (cache.size > 8) cache.clear()
    const datetime = clock
      .date()
      .toISOString()
      .replace(/[:-]|\.\d{3}/g, '')
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      cache,
      datetime,
      ...given,
    })
    return signer.sign()
  }

  const urlOf = (key: string | undefined, query: Record<string, string> = {}): URL => {
    const url = new URL(key === undefined ? base : `${base}/${prefix}${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  const once = async ({ method, key, query, range, body }: BucketRequest): Promise<OutboundResponse> => {
    const hash = sha256Hex(body ?? '')
    const { url, headers } = await signed(method, urlOf(key, query), {
      headers: { 'x-amz-content-sha256': hash },
    })
    // Neither is signed. A proxy that compresses would make other bytes of a range.
    headers.set('accept-encoding', 'identity')
    if (range) headers.set('range', `bytes=${range.start}-${range.end}`)
    return http.request(url, {
      method,
      headers,
      ...(body && { body }),
      redirect: 'manual',
      limitOn: 'silence',
      timeoutMs: silenceMs,
      maxBytes: Number.POSITIVE_INFINITY,
    })
  }

  return {
    async send(request) {
      for (let attempt = 1; ; attempt += 1) {
        const isLast = attempt === tries
        const answer = await once(request).catch((error: unknown) => {
          if (!isLast && mayWorkLater(error)) return undefined
          throw failure(request, error instanceof OutboundError ? error.message : 'unknown error', error)
        })
        if (answer && answer.status >= 200 && answer.status < 300) return answer
        if (answer && (isLast || !transient.has(answer.status))) return refused(request, answer)
        await answer?.body.cancel()
        await pause(firstPauseMs * 2 ** (attempt - 1))
      }
    },
    async signedUrl(key, { seconds, contentType }) {
      const url = urlOf(key, { 'X-Amz-Expires': String(seconds), 'response-content-type': contentType })
      return (await signed('GET', url, { signQuery: true })).url.href
    },
  }
}

/** @returns undefined where there is no such key @throws BlobError for all else */
async function refused(request: BucketRequest, answer: OutboundResponse): Promise<undefined> {
  const { status } = answer
  const text = request.method === 'HEAD' ? '' : await bounded(answer)
  const code = (await readAnswer(text)).text('Code')
  // HEAD has no body that tells a key that is missing from a bucket that is.
  if (status === 404 && (request.method === 'HEAD' || code === 'NoSuchKey')) return undefined
  const moved = status >= 300 && status < 400 ? ', the bucket is in another region or at another address' : ''
  const why = `status ${status}${code ? ` ${code}` : ''}${moved}`
  throw failure(request, why, undefined, status === 507 || fullCodes.has(code ?? ''))
}

async function bounded(answer: OutboundResponse): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body) {
    parts.push(part)
    size += part.byteLength
    if (size > 65_536) break
  }
  return Buffer.concat(parts).toString('utf8')
}

function mayWorkLater(error: unknown): boolean {
  return error instanceof OutboundError && ['connect', 'network', 'timeout'].includes(error.reason)
}

function failure({ key, verb }: BucketRequest, why: string, cause: unknown, isFull = false): BlobError {
  const what = key === undefined ? 'The bucket' : `Blob ${key}`
  return new BlobError(isFull ? 'full' : 'io', `${what} could not be ${verb}: ${why}.`, { cause })
}
