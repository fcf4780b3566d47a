import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { hasPublicAddress, lastingAddress } from '../../media/addresses.ts'
import type { AssetUser } from '../../media/entities.ts'
import { assetsOf, mailedFiles, pictureProblems, type TextAssets, withAssets } from '../publishing/assets.ts'
import { toPost } from '../publishing/post-text.ts'

/**
 * Makes sure that readers of a mail can see what it shows of the media library.
 * @param user that of which it is the text
 * @throws DomainError `UNPROCESSABLE`, in words
 */
export async function requireMailable(ctx: Ctx, text: string, user: AssetUser, where = ''): Promise<void> {
  const assets = await assetsOf(ctx, text, user)
  const pictures = withAssets(toPost(text).media, assets)
  const [problem] = pictureProblems(pictures, { fetched: mailedFiles }, assets)
  if (problem !== undefined) throw new DomainError('UNPROCESSABLE', where + problem)
  if (pictures.some(({ asset }) => asset) && !hasPublicAddress(ctx))
    throw new DomainError(
      'UNPROCESSABLE',
      `${where}Readers cannot be shown files of the media library: this server has no public address (baseUrl)`,
    )
}

/** Where readers of a mail see what it shows, as long as it is there, by its reference. */
export function mailAddresses(ctx: Ctx, { of }: TextAssets): Map<string, string> {
  const addresses = new Map<string, string>()
  for (const [reference, asset] of of) {
    const address = lastingAddress(ctx, asset)
    if (address !== undefined) addresses.set(reference, address)
  }
  return addresses
}
