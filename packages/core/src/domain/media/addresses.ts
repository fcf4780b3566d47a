import type { Ctx } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { isPublicAddress } from '../../platform/http/public-address.ts'
import { isRaster } from '../../platform/images/clean.ts'
import type { AssetType } from '../../platform/images/kinds.ts'
import { type AssetContent, originalContent } from './content.ts'
import { assetKey } from './keys.ts'
import { linkedAsset, type NamedAsset } from './queries.ts'

/** How long an address is good that a platform fetches a file from, seconds. */
const fetchS = 3_600

/** What the signatures of addresses are made for, so that they are good for nothing else. */
const purpose = 'asset address'

/** How files are called that programs know by the end of an address. */
const endings: Readonly<Record<AssetType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'application/pdf': 'pdf',
}

/** The end of the name of a file of a type, without its dot. */
export const endingOf = (type: AssetType): string => endings[type]

/** Where an address leads to: an asset, and until when, in seconds since the epoch; 0 for as long as there is the asset. */
interface Place {
  tenantId: string
  id: string
  until: number
}

const signedText = ({ tenantId, id, until }: Place) => `${tenantId}/${id}/${until}`

/** The address of an asset at this server. It opens the file without a login: never log it. */
function ownAddress(ctx: Ctx, { tenantId, id, mimeType }: NamedAsset, until: number): string {
  const { encryptor, settings } = ctx.services
  const [mac] = encryptor.macs(signedText({ tenantId, id, until }), purpose)
  return `${settings.baseUrl}/files/media/${id}.${until}.${mac}/file.${endingOf(mimeType)}`
}

/**
 * An address at which anyone reads an asset for an hour: of the bucket where files are in one, else of this server.
 * @param among `public`: only an address that can be reached from everywhere; `near`: also one that only this network can reach
 * @param from `server`: not of the bucket, for those who know this server only
 * @returns undefined where there is none
 */
export async function passingAddress(
  ctx: Ctx,
  asset: NamedAsset,
  { among, from = 'anywhere' }: { among: 'public' | 'near'; from?: 'anywhere' | 'server' },
): Promise<string | undefined> {
  const isFine = (address: string) => among === 'near' || isPublicAddress(address)
  const { blobs } = ctx.services
  const link =
    from === 'server'
      ? undefined
      : await blobs.link(assetKey(asset), { seconds: fetchS, contentType: asset.mimeType })
  if (link !== undefined && isFine(link)) return link
  const own = ownAddress(ctx, asset, Math.floor(ctx.clock.now() / 1_000) + fetchS)
  return isFine(own) ? own : undefined
}

/** An address at which anyone reads an asset as long as there is the asset; undefined where this server has no public one. */
export function lastingAddress(ctx: Ctx, asset: NamedAsset): string | undefined {
  return hasPublicAddress(ctx) ? ownAddress(ctx, asset, 0) : undefined
}

/** Whether what this server shows can be reached from everywhere. */
export const hasPublicAddress = (ctx: Ctx): boolean => isPublicAddress(ctx.services.settings.baseUrl)

const token = /^([0-7][0-9A-HJKMNP-TV-Z]{25})\.(0|[1-9]\d{0,11})\.([\w-]{1,64}\.[0-9a-f]{64})$/

/**
 * The file that an address leads to. Serves `GET /files/media/:token/:name`.
 * @throws DomainError `NOT_FOUND` for everything that is no address of ours, or not any more
 */
export async function openAddress(
  ctx: Ctx,
  given: { token: string; name: string },
): Promise<AssetContent & { isLasting: boolean }> {
  const [, id = '', digits = '', mac = ''] = token.exec(given.token) ?? []
  const until = Number(digits)
  if (id === '' || (until !== 0 && until * 1_000 <= ctx.clock.now())) throw notFound('file')
  const asset = await linkedAsset(ctx, id)
  if (!asset || given.name !== `file.${endingOf(asset.mimeType)}`) throw notFound('file')
  const { tenantId, mimeType } = asset
  if (!ctx.services.encryptor.matchesMac(mac, signedText({ tenantId, id, until }), purpose))
    throw notFound('file')
  const isShown = isRaster(mimeType) || mimeType.startsWith('video/')
  return { ...originalContent(ctx, asset), isShown, isLasting: until === 0 }
}
