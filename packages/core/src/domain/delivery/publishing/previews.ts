import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { ChannelConnection } from '../../accounts/channels/entities.ts'
import { passingAddress } from '../../media/addresses.ts'
import { Activity } from '../../work/activities/entities.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import { userOf } from '../../work/content/pictures.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { assetsOf, pictureProblems, picturesIn, showPictures, type TextAssets, withAssets } from './assets.ts'
import { type Connector, limitsAt } from './connector.ts'
import { linkTagsOf } from './link-tags/setting.ts'
import type { LinkTags } from './link-tags/tags.ts'
import { checkLinks } from './links.ts'
import { articleFor, longestPost, postOf, problemsOf } from './piece.ts'
import type { PostPicture } from './post-text.ts'
import type { PreviewList, PreviewQuery } from './schemas.ts'

/** What of a text is shown, characters. */
const mostShown = 20_000

type Preview = PreviewList['data'][number]

/**
 * How the newest text of an activity would look on each kind of channel, counted as the platform counts, and whether its links lead
 * somewhere. Serves
 * `GET /dashboard/v1/activities/:activityId/previews`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` for an activity without a text
 */
export async function previewPiece(
  ctx: Ctx,
  activityId: string,
  { links }: PreviewQuery = {},
): Promise<PreviewList> {
  const { output, approved, channels, tagsOf } = await transact(ctx, async (txn) => {
    const activity = await txn.em.findOne(Activity, { id: activityId })
    if (!activity) throw notFound('activity')
    const output = await latestOutput(txn, activityId)
    if (!output) throw new DomainError('UNPROCESSABLE', 'This activity has no text yet')
    const channels = await txn.em.find(ChannelConnection, { tenantId: oneTenant(txn) })
    const tagsOf = await linkTagsOf(txn, activity)
    return { output, approved: await isApproved(txn, activity, output), channels, tagsOf }
  })
  const { text, sha256 } = output
  const assets = await assetsOf(ctx, text, userOf(output))
  const pictures = { assets, addresses: await addressesOf(ctx, assets) }
  const data: Preview[] = []
  for (const [type, connector] of ctx.services.connectors) {
    const channel = channels.find((one) => one.type === type)
    data.push({
      channelType: type,
      channelId: channel?.id ?? null,
      connected: channel?.status === 'connected',
      ...(await shownOn(ctx, text, limitsAt(connector, channel?.account), tagsOf(type), pictures)),
    })
  }
  const states = links === 'check' ? await checkLinks(ctx, text) : undefined
  return { activityId, contentHash: sha256, approved, data, ...(states && { links: states }) }
}

interface Pictures {
  assets: TextAssets
  /** Where the one who asks can look at each for an hour, by its reference. */
  addresses: ReadonlyMap<string, string>
}

async function addressesOf(ctx: Ctx, { of }: TextAssets): Promise<Map<string, string>> {
  const addresses = new Map<string, string>()
  for (const [reference, asset] of of) {
    const address = await passingAddress(ctx, asset, { among: 'near' })
    if (address !== undefined) addresses.set(reference, address)
  }
  return addresses
}

async function shownOn(
  ctx: Ctx,
  text: string,
  capabilities: Connector['capabilities'],
  linkTags: LinkTags | null,
  { assets, addresses }: Pictures,
): Promise<Omit<Preview, 'channelType' | 'channelId' | 'connected'>> {
  const { takes, text: limits, media } = capabilities
  if (takes === 'article') {
    const article = await articleFor(ctx, text, linkTags, capabilities)
    const { title, excerpt } = article
    const pictures = withAssets(picturesIn(article.html), assets)
    const html = showPictures(article.html, pictures, addresses)
    const problems = pictureProblems(pictures, media, assets)
    return { takes, title, text: html.slice(0, mostShown), excerpt, measures: [], pictures: [], problems }
  }
  // What no platform takes is not taken apart either.
  const post = postOf(text.slice(0, longestPost), linkTags, capabilities)
  const pictures = withAssets(post.media, assets)
  const shown = ({ url, alt }: PostPicture) => ({ url: addresses.get(url) ?? url, alt })
  return {
    takes,
    title: '',
    text: post.text.slice(0, mostShown),
    excerpt: '',
    measures: limits.map(({ unit, max, count }) => ({ unit, max, count: count(post.text) })),
    pictures: pictures.slice(0, Math.max(media.max, 1)).map(shown),
    problems: [...problemsOf(post, capabilities), ...pictureProblems(pictures, media, assets)],
  }
}
