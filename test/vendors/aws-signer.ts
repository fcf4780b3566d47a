import type { Credential, SignatureCheck, SignedRequest } from '../kit/sigv4.ts'
import { vendor } from '../kit/vendors.ts'

interface AwsRequest {
  method: string
  protocol: string
  hostname: string
  path: string
  query: Record<string, string | string[]>
  headers: Record<string, string>
}

interface AwsSigner {
  sign(request: AwsRequest, options: object): Promise<AwsRequest>
  presign(request: AwsRequest, options: object): Promise<AwsRequest>
}

const skewMs = 15 * 60_000
const hashHeader = 'x-amz-content-sha256'

/**
 * Checks a signature by AWS's own signer: it signs what has arrived once more, with the key, the time and the headers that the request
 * names, and both have to be the same. When a time is over is S3's rule, and not the signer's.
 */
export const verifyByAws: SignatureCheck = async (request, credential, now) => {
  const query = queryOf(request.query)
  const inQuery = 'X-Amz-Signature' in query
  const given = inQuery ? fromQuery(query) : fromHeader(request)
  if (!given) return { fault: 'AccessDenied' }
  const at = Date.parse(given.date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (given.expires === undefined && !(Math.abs(now - at) <= skewMs)) return { fault: 'RequestTimeTooSkewed' }
  if (given.expires !== undefined && !(now <= at + given.expires * 1_000)) return { fault: 'AccessDenied' }
  if (!given.signed.includes('host')) return { fault: 'SignatureDoesNotMatch' }
  const headers = Object.fromEntries(given.signed.map((name) => [name, String(request.headers[name])]))
  const bodyHash = inQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers[hashHeader])
  const toSign = {
    method: request.method,
    protocol: 'https:',
    hostname: 'a-bucket',
    path: request.path,
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !signatureFields.has(name))),
    headers: { ...headers, [hashHeader]: bodyHash },
  }
  const signer = signerOf(credential)
  const options = { signingDate: new Date(at) }
  const signed = inQuery
    ? fromQuery(
        (
          await signer.presign(toSign, {
            ...options,
            expiresIn: given.expires,
            unhoistableHeaders: new Set([hashHeader]),
            unsignableHeaders: new Set([hashHeader]),
          })
        ).query,
      )
    : fromHeader(await signer.sign(toSign, options))
  const isSame = JSON.stringify(signed) === JSON.stringify(given)
  return isSame ? { bodyHash } : { fault: 'SignatureDoesNotMatch' }
}

function signerOf({ accessKeyId, secretAccessKey, region, service }: Credential): AwsSigner {
  const { SignatureV4 } = vendor<{ SignatureV4: new (options: object) => AwsSigner }>('@smithy/signature-v4')
  const { Sha256 } = vendor<{ Sha256: unknown }>('@aws-crypto/sha256-js')
  return new SignatureV4({
    credentials: { accessKeyId, secretAccessKey },
    region,
    service,
    sha256: Sha256,
    // Of all services of AWS, S3 alone takes paths as they are.
    uriEscapePath: false,
  })
}

/** What the signer adds to a query. */
const signatureFields = new Set([
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
])

type Query = AwsRequest['query']

function queryOf(text: string): Query {
  const query: Record<string, string[]> = {}
  for (const [name, value] of new URLSearchParams(text)) query[name] = [...(query[name] ?? []), value]
  return Object.fromEntries(
    Object.entries(query).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

function fromQuery(query: Query) {
  const one = (name: string) => String(query[`X-Amz-${name}`] ?? '')
  const expires = Number(one('Expires'))
  if (one('Algorithm') !== 'AWS4-HMAC-SHA256' || !(expires >= 1 && expires <= 604_800)) return undefined
  return {
    credential: one('Credential'),
    signed: one('SignedHeaders').split(';'),
    signature: one('Signature'),
    date: one('Date'),
    expires,
  }
}

function fromHeader({ headers }: Pick<SignedRequest, 'headers'>) {
  const { authorization, 'x-amz-date': date } = headers
  const form = /^AWS4-HMAC-SHA256 Credential=(\S+?), ?SignedHeaders=(\S+?), ?Signature=([0-9a-f]{64})$/
  const [, credential = '', signed = '', signature = ''] = form.exec(String(authorization)) ?? []
  if (credential === '') return undefined
  return { credential, signed: signed.split(';'), signature, date: String(date), expires: undefined }
}
