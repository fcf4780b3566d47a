import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PlatformAccount, PublishCall, Published, StillWorking } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { addressOf } from '../requests.ts'
import { callTikTok, tiktokRules } from './api.ts'

const Creator = z.object({
  creator_nickname: z.string().default(''),
  creator_username: z.string().default(''),
  privacy_level_options: z.array(z.string()).min(1),
})
const Begun = z.object({ publish_id: z.string(), upload_url: z.url().optional() })
const Status = z.object({
  status: z.string(),
  fail_reason: z.string().default(''),
  // So spelt.
  publicaly_available_post_id: z.array(z.coerce.string()).default([]),
})
const count = z.int().nonnegative().default(0)
const Videos = z.object({
  videos: z
    .array(z.object({ view_count: count, like_count: count, comment_count: count, share_count: count }))
    .default([]),
})
type Status = z.output<typeof Status>

const privacyWords: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: 'for everyone',
  MUTUAL_FOLLOW_FRIENDS: 'for friends',
  FOLLOWER_OF_CREATOR: 'for followers',
  SELF_ONLY: 'for the account only',
}

/** How long an upload that shows nothing counts as under way, milliseconds. */
const uploadMs = 10 * 60_000

/**
 * TikTok: one video, which is uploaded, or pictures, which TikTok fetches from a domain that its owner has proved to it. Who sees a
 * post is chosen by a person, with the account.
 */
export const tiktok: Connector = {
  type: 'short_video_network',
  rules: tiktokRules,
  capabilities: {
    takes: 'post',
    text: [{ max: 2_200, unit: 'characters', count: (text) => text.length }],
    media: {
      min: 1,
      max: 35,
      files: { types: ['video/mp4', 'video/quicktime', 'video/webm'], maxBytes: 60 * 1024 * 1024 },
      // Only from a domain that its owner has proved to TikTok, which a bucket's is not.
      fetched: { types: ['image/jpeg', 'image/webp'], maxBytes: 20 * 1024 * 1024, from: 'server' },
    },
    remove: false,
    limits: [{ name: 'posts', max: 6, perS: 60 }],
  },
  async accounts(call): Promise<PlatformAccount[]> {
    const {
      creator_nickname: name,
      creator_username: username,
      privacy_level_options: levels,
    } = await creator(call)
    return levels.map((privacy) => ({
      name: `${name || username}, ${privacyWords[privacy] ?? privacy.toLowerCase()}`,
      account: { username, privacy },
    }))
  },
  isOut: ({ uploaded }) => uploaded !== undefined,
  async publish(call, piece) {
    const { publishId, uploaded } = call.progress
    if (publishId !== undefined && uploaded !== undefined)
      return outcomeOf(call, await statusOf(call, publishId))
    const { privacy_level_options: levels } = await creator(call)
    const { privacy = '' } = call.account
    if (!levels.includes(privacy))
      throw new PlatformError(
        'policy',
        `The account does not offer posts ${privacyWords[privacy] ?? privacy} any more`,
      )
    await (isVideo(piece) ? sendVideo(call, piece) : sendPictures(call, piece))
    return { againInS: 15 }
  },
  async reconcile(call) {
    const { publishId, startedAt } = call.progress
    // Without a list of posts, which needs a permission of its own, nothing shows one whose id was lost.
    if (publishId === undefined) return { state: 'cannot_tell' }
    const found = await statusOf(call, publishId)
    if (found.status === 'PUBLISH_COMPLETE') return { state: 'published', ...toPublished(call, found) }
    if (found.status === 'FAILED') return { state: 'absent' }
    const isOver = call.now().getTime() - Number(startedAt) > uploadMs
    // An upload that has not arrived by then never will: nobody else has its address.
    return { state: found.status === 'PROCESSING_UPLOAD' && isOver ? 'absent' : 'unclear' }
  },
  async metrics(call, { externalId }) {
    // A post has a public id once it is out of moderation; the id under which it was published says nothing of it.
    if (!/^\d+$/.test(externalId)) return null
    const path = '/video/query/?fields=id,view_count,like_count,comment_count,share_count'
    const json = { filters: { video_ids: [externalId] } }
    const [video] = (await callTikTok(call, path, json, 'read', Videos)).videos
    if (!video) return null
    const {
      view_count: impressions,
      like_count: reactions,
      comment_count: comments,
      share_count: shares,
    } = video
    return { impressions, reactions, comments, shares }
  },
}

function isVideo({ media: [first, ...others] }: OutgoingPiece): boolean {
  if (!first || others.length > 0) return false
  if (first.asset) return first.asset.mimeType.startsWith('video/')
  return /\.(?:mp4|mov|webm)$/i.test(new URL(first.url).pathname)
}

const creator = (call: PlatformCall) =>
  callTikTok(call, '/post/publish/creator_info/query/', {}, 'read', Creator)

const statusOf = (call: PublishCall, id: string) =>
  callTikTok(call, '/post/publish/status/fetch/', { publish_id: id }, 'read', Status)

/** The id is kept before the bytes are sent, so that a lost answer is looked up by it. */
async function sendVideo(call: PublishCall, { text, media }: OutgoingPiece): Promise<void> {
  const { bytes, type } = await call.fetch(media[0] ?? { url: '', alt: '' })
  const size = bytes.byteLength
  const begun = await callTikTok(
    call,
    '/post/publish/video/init/',
    {
      post_info: { title: text, privacy_level: call.account['privacy'] },
      source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: size, total_chunk_count: 1 },
    },
    'repeatable',
    Begun,
  )
  const { publish_id: publishId, upload_url: uploadUrl = '' } = begun
  await call.save({ publishId, startedAt: String(call.now().getTime()) })
  await call.request({
    method: 'PUT',
    url: uploadAddress(call, uploadUrl),
    headers: { 'content-type': type, 'content-range': `bytes 0-${size - 1}/${size}` },
    bytes,
    effect: 'once',
  })
  await call.save({ ...call.progress, uploaded: 'yes' })
}

async function sendPictures(call: PublishCall, { text, media }: OutgoingPiece): Promise<void> {
  const [title = ''] = text.split('\n')
  const addresses: string[] = []
  for (const picture of media) addresses.push(await call.address(picture))
  const begun = await callTikTok(
    call,
    '/post/publish/content/init/',
    {
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: { title: title.slice(0, 90), description: text, privacy_level: call.account['privacy'] },
      source_info: {
        source: 'PULL_FROM_URL',
        photo_cover_index: 0,
        photo_images: addresses,
      },
    },
    'once',
    Begun,
  )
  await call.save({ publishId: begun.publish_id, uploaded: 'yes' })
}

/** The bytes go to no other host than the platform's, whatever its answer says. */
function uploadAddress({ urls: { uploadBaseUrl, baseUrl } }: PublishCall, given: string): URL {
  const base = uploadBaseUrl ?? baseUrl
  const host = URL.canParse(given) ? new URL(given).hostname : ''
  if (base === undefined && !/\.tiktok(?:apis|v)?\.com$/.test(host))
    throw new PlatformError('policy', `The platform wants the video to go to ${host || 'no address'}`)
  return addressOf(given, base)
}

async function outcomeOf(call: PublishCall, found: Status): Promise<Published | StillWorking> {
  if (found.status === 'PUBLISH_COMPLETE') return toPublished(call, found)
  if (found.status !== 'FAILED') return { againInS: 30 }
  // The next attempt begins from the start.
  await call.save({})
  const { fail_reason: reason } = found
  const words = `TikTok did not publish it: ${reason.replaceAll('_', ' ')}`
  if (reason === 'auth_removed') throw new PlatformError('auth', words)
  if (reason === 'internal') throw new PlatformError('transient', words)
  throw new PlatformError(reason.startsWith('spam_risk') ? 'policy' : 'validation', words)
}

/** A public id comes after moderation, and never for posts that are not public. */
function toPublished(call: PublishCall, { publicaly_available_post_id: [id] }: Status): Published {
  const { username = '' } = call.account
  const url = id === undefined || username === '' ? null : `https://www.tiktok.com/@${username}/video/${id}`
  return { externalId: id ?? call.progress['publishId'] ?? '', url }
}
