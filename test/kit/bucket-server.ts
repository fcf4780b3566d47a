import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Credential, type SignatureCheck, verifySignature } from './sigv4.ts'

interface Stored {
  bytes: Buffer
  writtenOn: Date
}

interface Upload {
  key: string
  parts: Map<number, Buffer>
  begunOn: Date
}

export interface BucketServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  endpoint: string
  /** What a program is given to use the bucket. */
  options: { url: string; accessKeyId: string; secretAccessKey: string }
  /** By their whole keys, prefix included. */
  objects: Map<string, Stored>
  /** Uploads in parts that are neither complete nor aborted. */
  uploads: Map<string, Upload>
  /** Method, path and query of every request. */
  requests: string[]
  /** The codes of refused requests. */
  refusals: string[]
  /** Answers the next requests that it names with a status, or cuts their connection. */
  failNext(faults: Array<{ on: RegExp; status: number | 'cut' }>): void
}

/**
 * Plays a bucket of Amazon S3 on 127.0.0.1, in memory. It verifies the signature of every request and the hash and length of every
 * body, and refuses what does not fit with the code that S3 answers with.
 * @param given `verify`: checks signatures in the place of `verifySignature`
 */
export async function startBucket(
  given: { now?: () => number; pageSize?: number; bucket?: string; verify?: SignatureCheck } = {},
): Promise<BucketServer> {
  const { now = Date.now, pageSize = 1_000, bucket = 'copydesk-test', verify = verifySignature } = given
  const credential: Credential = {
    accessKeyId: 'AKIDBUCKET',
    secretAccessKey: randomBytes(24).toString('base64'),
    region: 'eu-test-1',
    service: 's3',
  }
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Upload>()
  const requests: string[] = []
  const refusals: string[] = []
  let faults: Array<{ on: RegExp; status: number | 'cut' }> = []

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, text = '', headers = {}) =>
      void response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text)
    const refuse = (status: number, code: string) => {
      refusals.push(code)
      send(status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)
    }
    const { method = '', url = '' } = request
    const [path = '', query = ''] = url.split('?')
    const line = `${method} ${url}`
    requests.push(line)
    const fault = faults.find(({ on }) => on.test(line))
    if (fault) {
      faults = faults.filter((one) => one !== fault)
      if (fault.status === 'cut') return void request.destroy()
      return refuse(fault.status, fault.status === 507 ? 'QuotaExceeded' : 'InternalError')
    }
    const body = await bodyOf(request)
    const verdict = await verify({ method, path, query, headers: request.headers }, credential, now())
    if ('fault' in verdict) return refuse(403, verdict.fault)
    if (verdict.bodyHash !== 'UNSIGNED-PAYLOAD' && verdict.bodyHash !== sha256(body))
      return refuse(400, 'XAmzContentSHA256Mismatch')
    if (Number(request.headers['content-length'] ?? 0) !== body.length) return refuse(400, 'IncompleteBody')
    const [, ofBucket, ...rest] = path.split('/')
    if (ofBucket !== bucket) return refuse(404, 'NoSuchBucket')
    const key = decodeURIComponent(rest.join('/'))
    const asked = new URLSearchParams(query)
    if (key === '') return asked.has('uploads') ? send(200, uploadsOf(uploads)) : list(asked)
    const uploadId = asked.get('uploadId')
    if (method === 'POST' && asked.has('uploads')) return begin(key)
    if (uploadId !== null) return inUpload(uploadId, asked, body)
    if (method === 'PUT') return keep(key, body)
    if (method === 'DELETE') {
      objects.delete(key)
      return send(204)
    }
    return read(key, asked.get('response-content-type'))

    function keep(to: string, bytes: Buffer): void {
      objects.set(to, { bytes, writtenOn: new Date(now()) })
      send(200, '', { etag: `"${md5(bytes)}"` })
    }

    function read(of: string, type: string | null): void {
      const stored = objects.get(of)
      if (!stored) return method === 'HEAD' ? send(404) : refuse(404, 'NoSuchKey')
      const { bytes } = stored
      const headers = { 'content-type': type ?? 'binary/octet-stream' }
      const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
      const isPart = first !== ''
      const end = isPart && last !== '' ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1
      if (isPart && Number(first) > end) return refuse(416, 'InvalidRange')
      const part = bytes.subarray(isPart ? Number(first) : 0, end + 1)
      response.writeHead(isPart ? 206 : 200, { ...headers, 'content-length': part.length })
      response.end(method === 'HEAD' ? undefined : part)
    }

    function list(by: URLSearchParams): void {
      if (by.get('list-type') !== '2') return refuse(400, 'InvalidArgument')
      const after = by.get('continuation-token') ?? ''
      const keys = [...objects.keys()]
        .filter((name) => name.startsWith(by.get('prefix') ?? '') && name > after)
        .toSorted()
      const shown = keys.slice(0, pageSize)
      const isMore = keys.length > shown.length
      const contents = shown.map((name) => {
        const { bytes, writtenOn } = objects.get(name) as Stored
        return `<Contents><Key>${name}</Key><LastModified>${writtenOn.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`
      })
      const next = isMore ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : ''
      send(
        200,
        `<ListBucketResult><IsTruncated>${isMore}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`,
      )
    }

    function begin(to: string): void {
      const id = randomBytes(8).toString('hex')
      uploads.set(id, { key: to, parts: new Map(), begunOn: new Date(now()) })
      send(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
    }

    function inUpload(id: string, by: URLSearchParams, bytes: Buffer): void {
      const upload = uploads.get(id)
      if (!upload || upload.key !== key) return refuse(404, 'NoSuchUpload')
      if (method === 'PUT') {
        upload.parts.set(Number(by.get('partNumber')), bytes)
        return send(200, '', { etag: `"${md5(bytes)}"` })
      }
      uploads.delete(id)
      if (method === 'DELETE') return send(204)
      const named = [
        ...String(bytes).matchAll(
          /<Part><PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\w+)&quot;<\/ETag><\/Part>/g,
        ),
      ]
      const parts = named.map(([, n, etag]) => {
        const part = upload.parts.get(Number(n))
        return part && md5(part) === etag ? part : undefined
      })
      const isShort = parts.slice(0, -1).some((part) => part && part.length < 5 * 1024 * 1024)
      const isWhole = named.length === upload.parts.size && !parts.includes(undefined)
      // As S3 does, with 200 for what it finds out late.
      if (isShort || !isWhole)
        return send(200, `<Error><Code>${isShort ? 'EntityTooSmall' : 'InvalidPart'}</Code></Error>`)
      objects.set(key, { bytes: Buffer.concat(parts as Buffer[]), writtenOn: new Date(now()) })
      send(200, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { accessKeyId, secretAccessKey, region } = credential
  return {
    endpoint,
    options: {
      url: `s3://${bucket}/files?endpoint=${endpoint}&region=${region}`,
      accessKeyId,
      secretAccessKey,
    },
    objects,
    uploads,
    requests,
    refusals,
    failNext: (next) => void (faults = next),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function uploadsOf(uploads: Map<string, Upload>): string {
  const list = [...uploads].map(
    ([id, { key, begunOn }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begunOn.toISOString()}</Initiated></Upload>`,
  )
  return `<ListMultipartUploadsResult>${list.join('')}</ListMultipartUploadsResult>`
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
