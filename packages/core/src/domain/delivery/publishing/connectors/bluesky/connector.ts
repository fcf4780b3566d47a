import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { bearerOf, readAs, requestAs } from '../requests.ts'
import { graphemesOf } from '../same-text.ts'
import { blueskyAuth } from './auth.ts'
import { facetsOf, recordKeyOf } from './record.ts'
import { blueskyRules, blueskyUrl } from './rules.ts'

const collection = 'app.bsky.feed.post'

const Put = z.object({ uri: z.string() })
const Refused = z.object({ error: z.string().optional() }).catch({})
const count = z.int().nonnegative().default(0)
const Counts = z.object({ likeCount: count, replyCount: count, repostCount: count, quoteCount: count })
const Posts = z.object({ posts: z.array(Counts) })
const Blob = z.object({ blob: z.record(z.string(), z.json()) })

/**
 * Bluesky, and other servers of the AT Protocol. The key of the record is chosen before the call and belongs to this intent, and the
 * server is told to make it only where there is none: it can be sent any number of times.
 */
export const bluesky: Connector = {
  type: 'microblog_b',
  rules: blueskyRules,
  capabilities: {
    takes: 'post',
    text: [
      { max: 300, unit: 'characters', count: graphemesOf },
      { max: 3_000, unit: 'bytes', count: (text) => Buffer.byteLength(text) },
    ],
    media: {
      min: 0,
      max: 4,
      files: { types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'], maxBytes: 1_000_000 },
    },
    remove: true,
    // 5,000 points in an hour and 35,000 in a day, of which a record costs three.
    limits: [
      { name: 'hour', max: 1_666, perS: 3_600 },
      { name: 'day', max: 11_666, perS: 86_400 },
    ],
  },
  auth: blueskyAuth,
  async publish(call, piece) {
    const images = await uploaded(call, piece)
    const record = {
      $type: collection,
      text: piece.text,
      createdAt: piece.madeAt.toISOString(),
      ...facetsOf(piece.text),
      ...(images.length > 0 && { embed: { $type: 'app.bsky.embed.images', images } }),
    }
    const { uri } = await requestAs(
      call,
      {
        method: 'POST',
        url: blueskyUrl(call, 'com.atproto.repo.putRecord'),
        json: { ...placeOf(call, piece), record, swapRecord: null },
        effect: 'repeatable',
      },
      Put,
    )
    return toPublished(uri)
  },
  async reconcile(call, piece) {
    const url = blueskyUrl(call, 'com.atproto.repo.getRecord', placeOf(call, piece))
    const answer = await call.ask({ url, headers: bearerOf(call) }, [400, 404])
    if (answer.status === 200) return { state: 'published', ...toPublished(readAs(answer, Put).uri) }
    const { error } = Refused.parse(answer.body)
    if (error === 'RecordNotFound') return { state: 'absent' }
    if (error === 'ExpiredToken' || error === 'InvalidToken') throw new PlatformError('auth', error)
    return { state: 'unclear' }
  },
  async remove(call, { externalId }) {
    const [, , repo = '', , rkey = ''] = externalId.split('/')
    await call.request({
      method: 'POST',
      url: blueskyUrl(call, 'com.atproto.repo.deleteRecord'),
      headers: bearerOf(call),
      json: { repo, collection, rkey },
      effect: 'repeatable',
    })
  },
  async metrics(call, { externalId: uris }) {
    const url = blueskyUrl(call, 'app.bsky.feed.getPosts', { uris })
    const [post] = (await requestAs(call, { url, effect: 'read' }, Posts)).posts
    if (!post) return null
    const { likeCount: reactions, replyCount: comments, repostCount, quoteCount } = post
    return { reactions, comments, shares: repostCount + quoteCount }
  },
}

const placeOf = ({ account }: PublishCall, { key, madeAt }: OutgoingPiece) => ({
  repo: account['did'] ?? '',
  collection,
  rkey: recordKeyOf(key, madeAt),
})

/** @param uri `at://did/collection/key` */
function toPublished(uri: string): Published {
  const [, , did = '', , rkey = ''] = uri.split('/')
  return { externalId: uri, url: `https://bsky.app/profile/${did}/post/${rkey}` }
}

/** Uploads the pictures that are missing; those that no record names vanish by themselves after some minutes. */
async function uploaded(call: PublishCall, { media }: OutgoingPiece) {
  const images: { image: unknown; alt: string }[] = []
  for (const picture of media) {
    const { bytes, type } = await call.fetch(picture)
    const { blob } = await requestAs(
      call,
      {
        method: 'POST',
        url: blueskyUrl(call, 'com.atproto.repo.uploadBlob'),
        headers: { 'content-type': type },
        bytes,
        effect: 'repeatable',
      },
      Blob,
    )
    images.push({ image: blob, alt: picture.alt })
  }
  return images
}
