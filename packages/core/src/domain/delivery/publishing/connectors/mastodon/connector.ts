import { z } from 'zod'
import type { ChannelAccount } from '../../../../accounts/channels/entities.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PostOut, PublishCall, Published, StillWorking, TextLimit } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import type { PostPicture } from '../../post-text.ts'
import { bearerOf, postIsGone, readAs, requestAs } from '../requests.ts'
import { fingerprintOf, graphemesOf, textOfHtml } from '../same-text.ts'
import { mastodonAuth } from './auth.ts'
import { areReady, forget, namesOf, uploaded } from './pictures.ts'
import { mastodonRules, mastodonUrl } from './rules.ts'

const Status = z.object({ id: z.string(), url: z.string().nullable().default(null), content: z.string() })
type Status = z.output<typeof Status>
const WithMedia = z.object({ media_attachments: z.array(z.object({ id: z.string() })).default([]) })
const count = z.int().nonnegative()
const Counts = z.object({ favourites_count: count, reblogs_count: count, replies_count: count })

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
    // Of an account, by https://docs.joinmastodon.org/api/rate-limits/.
    limits: [{ name: 'media', max: 30, perS: 1_800 }],
  },
  textFor: ({ characters, perUrl }: ChannelAccount) => [textLimit(Number(characters), Number(perUrl))],
  auth: mastodonAuth,
  lasting: ['sentAt', 'sent'],
  async publish(call, piece) {
    const { sentAt, sent = '' } = call.progress
    const now = call.now().getTime()
    const isKeyKnown = sentAt !== undefined && now - Number(sentAt) <= keyMs
    const print = fingerprintOf(piece.text)
    const prints = [...new Set([...sent.split(','), print])].filter(Boolean)
    const out = sentAt === undefined || isKeyKnown ? undefined : await findStatus(call, prints)
    if (out) return showing(call, piece, out, prints)
    const media = await uploaded(call, piece.media, 'media')
    if (!isKeyKnown && !(await areReady(call, media, 'media'))) return { againInS: 5 }
    if (!isKeyKnown || !sent.endsWith(print)) {
      const since = isKeyKnown ? sentAt : String(now)
      await call.save({ ...call.progress, sentAt: since, sent: prints.join() })
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
    return showing(call, piece, status, prints)
  },
  async reconcile(call, piece) {
    const found = await findStatus(call, [fingerprintOf(piece.text)])
    return found ? { state: 'published', ...toPublished(found) } : { state: 'absent' }
  },
  edit: change,
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

/**
 * A status that is out, once it shows this text and not that of an earlier attempt whose answer was lost.
 * @param prints of all texts that were sent
 */
async function showing(
  call: PublishCall,
  piece: OutgoingPiece,
  status: Status,
  prints: readonly string[],
): Promise<Published | StillWorking> {
  const published = toPublished(status)
  const shown = fingerprintOf(textOfHtml(status.content))
  if (shown === fingerprintOf(piece.text) || !prints.includes(shown)) return published
  return change(call, piece, { ...published, samePictures: false })
}

async function change(
  call: PublishCall,
  piece: OutgoingPiece,
  { externalId, samePictures }: PostOut,
): Promise<Published | StillWorking> {
  const url = mastodonUrl(call, `/api/v1/statuses/${encodeURIComponent(externalId)}`)
  const answer = await call.ask({ url, headers: bearerOf(call) }, [404])
  if (answer.status === 404) throw postIsGone()
  // A status loses the pictures that are not named.
  const media = samePictures
    ? readAs(answer, WithMedia).media_attachments.map(({ id }) => id)
    : await newPictures(call, piece.media)
  if (!media) return { againInS: 5 }
  const json = { status: piece.text, media_ids: media }
  const request = { method: 'PUT', url, json, effect: 'repeatable' } as const
  const status = await requestAs(call, request, Status).catch(async (error: unknown) => {
    // What no status shows is thrown away after a day.
    const isRefused = error instanceof PlatformError && error.kind === 'validation'
    if (isRefused && !samePictures) await forget(call, piece.media)
    throw error
  })
  return toPublished(status)
}

/** The newest of the account's statuses with one of these texts. */
async function findStatus(call: PublishCall, prints: readonly string[]): Promise<Status | undefined> {
  const path = `/api/v1/accounts/${encodeURIComponent(call.account['id'] ?? '')}/statuses`
  const url = mastodonUrl(call, path, { limit: '40', exclude_reblogs: 'true' })
  const statuses = await requestAs(call, { url, effect: 'read' }, z.array(Status))
  return statuses.find(({ content }) => {
    const print = fingerprintOf(textOfHtml(content))
    return print !== '' && prints.includes(print)
  })
}

/** The ids of the pictures that a status is to show in the place of others; undefined while the server works on them. */
async function newPictures(
  call: PublishCall,
  pictures: readonly PostPicture[],
): Promise<string[] | undefined> {
  const { ids: name, ready } = namesOf(pictures)
  const ids = await uploaded(call, pictures, name)
  // After a lost answer the status may have them already.
  if (call.progress[ready] === undefined) {
    if (!(await areReady(call, ids, name))) return undefined
    await call.save({ ...call.progress, [ready]: 'yes' })
  }
  return ids
}
