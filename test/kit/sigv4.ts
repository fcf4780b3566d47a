import { createHash, createHmac } from 'node:crypto'

/** A request as it arrived: the path and the query are those of the request line, not decoded. */
export interface SignedRequest {
  method: string
  path: string
  query: string
  headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Credential {
  accessKeyId: string
  secretAccessKey: string
  region: string
  service: string
}

/** Why a request is refused, by the code that Amazon S3 answers with. */
export type SignatureFault =
  | 'AccessDenied'
  | 'InvalidAccessKeyId'
  | 'AuthorizationHeaderMalformed'
  | 'SignatureDoesNotMatch'
  | 'RequestTimeTooSkewed'

/** What a bucket asks whether a request is signed as it must be: see `verifySignature`. */
export type SignatureCheck = (
  request: SignedRequest,
  credential: Credential,
  now: number,
) => Verdict | Promise<Verdict>

type Verdict = { fault: SignatureFault } | { bodyHash: string }

const skewMs = 15 * 60_000
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const hex = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/**
 * Checks the signature of a request, in its `Authorization` header or its query, as "Signature Version 4" of AWS describes it. Written
 * from that description, and shares no code with what signs.
 * @returns undefined for a valid one, and the hash of the body that it vouches for, `UNSIGNED-PAYLOAD` where it vouches for none
 */
export function verifySignature(request: SignedRequest, credential: Credential, now: number): Verdict {
  const pairs = pairsOf(request.query)
  const inQuery = pairs.some(([name]) => name === 'X-Amz-Signature')
  const given = inQuery ? fromQuery(pairs) : fromHeader(request.headers)
  if (!given) return { fault: 'AccessDenied' }
  const { accessKeyId, region, service, secretAccessKey } = credential
  const [id, day, ofRegion, ofService, end] = given.scope.split('/')
  if (id !== accessKeyId) return { fault: 'InvalidAccessKeyId' }
  if (ofRegion !== region || ofService !== service || end !== 'aws4_request')
    return { fault: 'AuthorizationHeaderMalformed' }
  const at = timeOf(given.date)
  if (Number.isNaN(at) || !given.date.startsWith(day ?? '-')) return { fault: 'AuthorizationHeaderMalformed' }
  if (given.expires === undefined && Math.abs(now - at) > skewMs) return { fault: 'RequestTimeTooSkewed' }
  if (given.expires !== undefined && (now < at - skewMs || now > at + given.expires * 1_000))
    return { fault: 'AccessDenied' }
  if (!given.signed.includes('host')) return { fault: 'SignatureDoesNotMatch' }
  // What has a meaning for the service must be signed.
  for (const name of Object.keys(request.headers))
    if (name.startsWith('x-amz-') && !given.signed.includes(name)) return { fault: 'AccessDenied' }
  const bodyHash = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256'] ?? '')
  const canonical = [
    request.method,
    request.path.split('/').map(recoded).join('/'),
    pairs
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted((a, b) => (a < b ? -1 : 1))
      .join('&'),
    ...given.signed.map((name) => `${name}:${valueOf(request.headers[name])}`),
    '',
    given.signed.join(';'),
    bodyHash,
  ].join('\n')
  const scope = `${day}/${ofRegion}/${ofService}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', given.date, scope, hex(canonical)].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day ?? ''), region), service), 'aws4_request')
  if (hmac(key, toSign).toString('hex') !== given.signature) return { fault: 'SignatureDoesNotMatch' }
  return { bodyHash }
}

interface Given {
  scope: string
  signed: string[]
  signature: string
  date: string
  expires?: number
}

function fromHeader(headers: SignedRequest['headers']): Given | undefined {
  const match = /^AWS4-HMAC-SHA256 Credential=(\S+?), ?SignedHeaders=(\S+?), ?Signature=([0-9a-f]{64})$/.exec(
    valueOf(headers['authorization']),
  )
  if (!match) return undefined
  const [, scope = '', signed = '', signature = ''] = match
  return { scope, signed: signed.split(';'), signature, date: valueOf(headers['x-amz-date']) }
}

function fromQuery(pairs: ReadonlyArray<[string, string]>): Given | undefined {
  const one = (name: string) => pairs.find(([key]) => key === name)?.[1] ?? ''
  const expires = Number(one('X-Amz-Expires'))
  if (one('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256' || !(expires >= 1 && expires <= 604_800)) return undefined
  return {
    scope: one('X-Amz-Credential'),
    signed: one('X-Amz-SignedHeaders').split(';'),
    signature: one('X-Amz-Signature'),
    date: one('X-Amz-Date'),
    expires,
  }
}

/** `20130524T000000Z` in milliseconds. */
function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
}

const valueOf = (value: string | string[] | undefined) =>
  [value ?? '']
    .flat()
    .map((text) => text.trim().replace(/ +/g, ' '))
    .join(',')

function pairsOf(query: string): Array<[string, string]> {
  if (query === '') return []
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
    return [decoded(name), decoded(value)]
  })
}

const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
const recoded = (segment: string) => encoded(decodeURIComponent(segment))
