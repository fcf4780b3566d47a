import { z } from 'zod'
import type { ChannelAccount } from '../../../../accounts/channels/entities.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PublishCall, Published, TextLimit } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import type { PostPicture } from '../../post-text.ts'
import { bearerOf, readAs, requestAs } from '../requests.ts'
import { graphemesOf, saysTheSame, textOfHtml } from '../same-text.ts'
import { mastodonAuth } from './auth.ts'
import { mastodonRules, mastodonUrl } from './rules.ts'

const Status = z.object({ id: z.string(), url: z.string().nullable().default(null), content: z.string() })
type Status = z.output<typeof Status>
const count = z.int().nonnegative()
const Counts = z.object({ favourites_count: count, reblogs_count: count, replies_count: count })
const Media = z.object({ id: z.string(), url: z.string().nullable().default(null) })

/** An address counts as so many characters, however long it is. */
const textLimit = (max: number, perUrl: number): TextLimit => ({
  max,
  unit: 'characters',
  count: (text) => graphemesOf(text.replace(/https?:\/\/[^\s<>]+/g, 'x'.repeat(perUrl))),
})

/** An idempotency key is remembered for an hour; after this long, milliseconds, we no longer rely on it. */
const keyMs = 50 * 60_000

/** Mastodon, and servers that speak its API. A key that is this intent's alone makes the server create one status. */
export const mastodon: Connector = {
  type: 'microblog_a',
  rules: mastodonRules,
  capabilities: {
    takes: 'post',
    text: [textLimit(500, 23)],
    media: {
      min: 0,
      max: 4,
      files: {
        types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
        maxBytes: 16 * 1024 * 1024,
      },
    },
    remove: true,
    edit: true,
    // Of an account, by https://docs.joinmastodon.org/api/rate-limits/.
    limits: [{ name: 'media', max: 30, perS: 1_800 }],
  },
  textFor: ({ characters, perUrl }: ChannelAccount) => [textLimit(Number(characters), Number(perUrl))],
  auth: mastodonAuth,
  async publish(call, piece) {
    const { sentAt } = call.progress
    const now = call.now().getTime()
    const isKeyKnown = sentAt !== undefined && now - Number(sentAt) <= keyMs
    if (sentAt !== undefined && !isKeyKnown) {
      const found = await findStatus(call, piece)
      if (found) return toPublished(found)
    }
    const media = await uploaded(call, piece.media)
    if (!isKeyKnown) {
      if (!(await areReady(call, media))) return { againInS: 5 }
      await call.save({ ...call.progress, sentAt: String(now) })
    }
    const status = await requestAs(
      call,
      {
        method: 'POST',
        url: mastodonUrl(call, '/api/v1/statuses'),
        headers: { 'idempotency-key': piece.key },
        json: { status: piece.text, media_ids: media, visibility: 'public' },
        effect: 'repeatable',
      },
      Status,
    )
    return toPublished(status)
  },
  async reconcile(call, piece) {
    const found = await findStatus(call, piece)
    return found ? { state: 'published', ...toPublished(found) } : { state: 'absent' }
  },
  async remove(call, { externalId }) {
    const url = mastodonUrl(call, `/api/v1/statuses/${encodeURIComponent(externalId)}`)
    await call.ask({ method: 'DELETE', url, headers: bearerOf(call) }, [404])
  },
  async metrics(call, { externalId }) {
    const url = mastodonUrl(call, `/api/v1/statuses/${encodeURIComponent(externalId)}`)
    const answer = await call.ask({ url, headers: bearerOf(call) }, [404])
    if (answer.status === 404) return null
    const {
      favourites_count: reactions,
      reblogs_count: shares,
      replies_count: comments,
    } = readAs(answer, Counts)
    return { reactions, shares, comments }
  },
}

const toPublished = ({ id, url }: Status): Published => ({ externalId: id, url })

/** The newest statuses of the account with this text. */
async function findStatus(call: PublishCall, piece: OutgoingPiece): Promise<Status | undefined> {
  const path = `/api/v1/accounts/${encodeURIComponent(call.account['id'] ?? '')}/statuses`
  const url = mastodonUrl(call, path, { limit: '40', exclude_reblogs: 'true' })
  const statuses = await requestAs(call, { url, effect: 'read' }, z.array(Status))
  return statuses.find(({ content }) => saysTheSame(textOfHtml(content), piece.text))
}

/** Uploads what is missing. @returns the ids in order */
async function uploaded(call: PublishCall, pictures: readonly PostPicture[]): Promise<string[]> {
  const ids = (call.progress['media'] ?? '').split(',').filter(Boolean)
  for (const picture of pictures.slice(ids.length)) {
    const { bytes, type } = await call.fetch(picture)
    const form = new FormData()
    form.set('file', new Blob([bytes], { type }), `picture.${type.slice('image/'.length)}`)
    if (picture.alt !== '') form.set('description', picture.alt.slice(0, 1_500))
    const packed = new Response(form)
    const request = {
      method: 'POST',
      url: mastodonUrl(call, '/api/v2/media'),
      headers: { 'content-type': packed.headers.get('content-type') ?? '' },
      bytes: new Uint8Array(await packed.arrayBuffer()),
      // One that no status names is thrown away.
      effect: 'repeatable',
    } as const
    ids.push((await requestAs(call, request, Media)).id)
    await call.save({ ...call.progress, media: ids.join(',') })
  }
  return ids
}

/** Whether the server has done with all pictures. Once a status has them, it shows them no more. */
async function areReady(call: PublishCall, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) {
    const url = mastodonUrl(call, `/api/v1/media/${encodeURIComponent(id)}`)
    const answer = await call.ask({ url, headers: bearerOf(call) }, [404])
    if (answer.status === 404) {
      await call.save({})
      throw new PlatformError('transient', 'The server has lost a picture')
    }
    if (answer.status === 206 || readAs(answer, Media).url === null) return false
  }
  return true
}
