import { resolve } from 'node:path'

/** Where blobs are kept, as an operator says it. */
export interface StorageOptions {
  /** A folder, relative to the data folder, or `s3://bucket/prefix?region=…&endpoint=…&style=path|host`. Default `blobs`. */
  url?: string
  accessKeyId?: string
  secretAccessKey?: string
}

/** A bucket with the interface of Amazon S3. */
export interface BucketPlace {
  kind: 'bucket'
  /** With the bucket in its host or as its path, without a final `/`. */
  base: string
  /** Before each key; empty, or it ends with `/`. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

export type Place = { kind: 'folder'; folder: string } | BucketPlace

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^(?:[A-Za-z0-9][\w.-]{0,199}(?:\/[A-Za-z0-9][\w.-]{0,199})*)?$/
const parameters = ['endpoint', 'region', 'style'] as const

/**
 * Reads where blobs are kept.
 * @throws TypeError that says what is wrong, and never contains the secret
 */
export function placeOf(options: StorageOptions, dataDir: string): Place {
  const { url = 'blobs' } = options
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return { kind: 'folder', folder: resolve(dataDir, url) }
  if (!url.startsWith('s3://')) throw new TypeError('url must be a folder, or start with s3://')
  const parsed = URL.parse(url)
  if (!parsed) throw new TypeError('url must have the form s3://bucket/prefix?region=REGION')
  if (parsed.username !== '' || parsed.password !== '' || parsed.port !== '')
    throw new TypeError(
      'url must not contain a user, a password or a port; keys and endpoint are given apart',
    )
  const { hostname: bucket, searchParams } = parsed
  if (!BUCKET.test(bucket))
    throw new TypeError(`url must name a bucket, and ${JSON.stringify(bucket)} is no name of one`)
  for (const name of searchParams.keys())
    if (!(parameters as readonly string[]).includes(name))
      throw new TypeError(
        `url has a parameter ${name}, which does not exist; there are ${parameters.join(', ')}`,
      )
  const prefix = parsed.pathname.replace(/^\/|\/$/g, '')
  if (prefix.length > 200 || !PREFIX.test(prefix))
    throw new TypeError(
      'url must have a prefix of at most 200 letters, digits, ".", "_" and "-", in segments joined by "/" that begin with a letter or digit',
    )
  const { accessKeyId, secretAccessKey } = options
  if (!accessKeyId) throw new TypeError('accessKeyId is missing, which an s3:// URL needs')
  if (!secretAccessKey) throw new TypeError('secretAccessKey is missing, which an s3:// URL needs')
  const region = searchParams.get('region') ?? 'us-east-1'
  const base = baseOf(bucket, region, searchParams.get('endpoint'), searchParams.get('style'))
  return {
    kind: 'bucket',
    base,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId,
    secretAccessKey,
  }
}

function baseOf(bucket: string, region: string, endpoint: string | null, style: string | null): string {
  if (!/^[\w-]{1,63}$/.test(region)) throw new TypeError('region in url must be the name of a region')
  if (style !== null && style !== 'path' && style !== 'host')
    throw new TypeError('style in url must be path or host')
  const server = URL.parse(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!server || !/^https?:$/.test(server.protocol))
    throw new TypeError('endpoint in url must be a URL that starts with http:// or https://')
  if (server.username !== '' || server.password !== '' || server.search !== '' || server.hash !== '')
    throw new TypeError('endpoint in url must contain neither a user nor parameters')
  const path = server.pathname.replace(/\/+$/, '')
  // A certificate for *.s3.example.com covers no name with another dot.
  const inHost = style === null ? endpoint === null && !bucket.includes('.') : style === 'host'
  return inHost ? `${server.protocol}//${bucket}.${server.host}${path}` : `${server.origin}${path}/${bucket}`
}
