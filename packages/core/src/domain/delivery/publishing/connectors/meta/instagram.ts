import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { requestAs } from '../requests.ts'
import { saysTheSame } from '../same-text.ts'
import { graphUrl, metaRules, readAllPages } from './graph.ts'
import { instagramInsights, readInsights } from './insights.ts'

const Page = z.object({
  instagram_business_account: z.object({ id: z.string(), username: z.string().default('') }).optional(),
})
const Quota = z.object({
  data: z.array(
    z.object({ quota_usage: z.int(), config: z.object({ quota_total: z.int(), quota_duration: z.int() }) }),
  ),
})
const Made = z.object({ id: z.string() })
const Container = z.object({ status_code: z.string(), status: z.string().default('') })
const Media = z.object({ id: z.string(), caption: z.string().default(''), permalink: z.string().optional() })
type Media = z.output<typeof Media>

/** How long a container that is ready shows nothing before it counts as not published, milliseconds. */
const settledMs = 60_000

/**
 * Instagram. A container is made first, which harms nobody, and publishing it is done once: what has become of it is read from the
 * container. Pictures are fetched by Instagram, so they need a public address.
 */
export const instagram: Connector = {
  type: 'photo_network',
  rules: metaRules,
  capabilities: {
    takes: 'post',
    text: [
      { max: 2_200, unit: 'characters', count: (text) => text.length },
      { max: 30, unit: 'hashtags', count: (text) => text.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0 },
    ],
    media: { min: 1, max: 10, fetched: { types: ['image/jpeg'], maxBytes: 8 * 1024 * 1024 } },
    remove: false,
    // What the account may do is asked before each post.
    limits: [],
  },
  async accounts(call) {
    const fields = 'instagram_business_account{id,username}'
    const pages = await readAllPages(call, 'me/accounts', { fields }, Page)
    return pages.flatMap(({ instagram_business_account: one }) =>
      one ? [{ name: `@${one.username || one.id}`, account: { profile: one.id } }] : [],
    )
  },
  isOut: ({ mediaId }) => mediaId !== undefined,
  async publish(call, piece) {
    const { mediaId } = call.progress
    if (mediaId !== undefined) return toPublished(await readMedia(call, mediaId))
    const known = call.progress['container']
    const before = known === undefined ? undefined : await readContainer(call, known)
    if (before?.status_code === 'PUBLISHED') return findMedia(call, piece)
    const isOver = before === undefined || ['EXPIRED', 'ERROR'].includes(before.status_code)
    if (isOver) await requireQuota(call)
    const container = known !== undefined && !isOver ? known : await createContainer(call, piece)
    const { status_code: code, status } = await readContainer(call, container)
    if (code === 'ERROR') {
      await call.save({})
      throw new PlatformError('validation', status || 'Instagram cannot use this picture')
    }
    if (code === 'IN_PROGRESS') return { againInS: 10 }
    await call.save({ container, sentAt: String(call.now().getTime()) })
    const { id } = await requestAs(
      call,
      {
        method: 'POST',
        url: graphUrl(call, `${profileOf(call)}/media_publish`),
        json: { creation_id: container },
        effect: 'once',
      },
      Made,
    )
    await call.save({ container, mediaId: id })
    return toPublished(await readMedia(call, id))
  },
  async reconcile(call, piece) {
    const { container, sentAt } = call.progress
    if (container === undefined) return { state: 'absent' }
    const { status_code: code } = await readContainer(call, container)
    if (code === 'PUBLISHED') return { state: 'published', ...(await findMedia(call, piece)) }
    if (code === 'EXPIRED' || code === 'ERROR') return { state: 'absent' }
    const isSettled = code === 'FINISHED' && call.now().getTime() - Number(sentAt) >= settledMs
    if (!isSettled) return { state: 'unclear' }
    const found = await lookForMedia(call, piece)
    return found ? { state: 'published', ...toPublished(found) } : { state: 'absent' }
  },
  // A post that was found by its container alone has no id.
  metrics: async (call, { externalId }) =>
    externalId === '' ? null : readInsights(call, externalId, instagramInsights),
}

const profileOf = ({ account }: PublishCall) => encodeURIComponent(account['profile'] ?? '')

const toPublished = ({ id, permalink }: Media): Published => ({ externalId: id, url: permalink ?? null })

/** How many posts a day allows differs from account to account. */
async function requireQuota(call: PublishCall): Promise<void> {
  const fields = 'quota_usage,config'
  const url = graphUrl(call, `${profileOf(call)}/content_publishing_limit`, { fields })
  const [quota] = (await requestAs(call, { url, effect: 'read' }, Quota)).data
  if (!quota || quota.quota_usage < quota.config.quota_total) return
  // The day is a moving one: something may be left in an hour.
  const until = new Date(call.now().getTime() + 3_600_000)
  throw new PlatformError('quota', `Instagram takes ${quota.config.quota_total} posts a day`, { until })
}

async function createContainer(call: PublishCall, { text: caption, media }: OutgoingPiece): Promise<string> {
  const create = (json: object) =>
    requestAs(
      call,
      { method: 'POST', url: graphUrl(call, `${profileOf(call)}/media`), json, effect: 'repeatable' },
      Made,
    )
  const pictures: { image_url: string; alt_text?: string }[] = []
  for (const picture of media) {
    const { alt } = picture
    pictures.push({ image_url: await call.address(picture), ...(alt !== '' && { alt_text: alt }) })
  }
  const children: string[] = []
  if (pictures.length > 1)
    for (const picture of pictures) children.push((await create({ ...picture, is_carousel_item: true })).id)
  const { id } = await create(
    children.length > 0 ? { media_type: 'CAROUSEL', children, caption } : { ...pictures[0], caption },
  )
  await call.save({ container: id })
  return id
}

function readContainer(call: PublishCall, id: string) {
  const url = graphUrl(call, encodeURIComponent(id), { fields: 'status_code,status' })
  return requestAs(call, { url, effect: 'read' }, Container)
}

function readMedia(call: PublishCall, id: string): Promise<Media> {
  const url = graphUrl(call, encodeURIComponent(id), { fields: 'id,permalink' })
  return requestAs(call, { url, effect: 'read' }, Media)
}

async function lookForMedia(call: PublishCall, piece: OutgoingPiece): Promise<Media | undefined> {
  const url = graphUrl(call, `${profileOf(call)}/media`, { fields: 'id,caption,permalink', limit: '10' })
  const { data } = await requestAs(call, { url, effect: 'read' }, z.object({ data: z.array(Media) }))
  return data.find(({ caption }) => saysTheSame(caption, piece.text))
}

/** The container is published for certain, wherever its post is. */
async function findMedia(call: PublishCall, piece: OutgoingPiece): Promise<Published> {
  const found = await lookForMedia(call, piece)
  return found ? toPublished(found) : { externalId: '', url: null }
}
