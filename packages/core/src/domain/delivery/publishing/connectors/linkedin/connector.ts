import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { addressOf, bearerOf, postIsGone, readAs } from '../requests.ts'
import { saysTheSame } from '../same-text.ts'
import { linkedinAccounts } from './accounts.ts'
import { askRest, linkedinHeaders, linkedinRules, linkedinUrl, readRest } from './rest.ts'
import { commentaryOf, plainOf } from './text.ts'

const Upload = z.object({ value: z.object({ uploadUrl: z.url(), image: z.string() }) })
const count = z.int().default(0)
const Statistics = z.object({
  elements: z.array(
    z.object({
      totalShareStatistics: z.object({
        impressionCount: count,
        uniqueImpressionsCount: count,
        clickCount: count,
        likeCount: count,
        commentCount: count,
        shareCount: count,
      }),
    }),
  ),
})
const Image = z.object({ status: z.string() })
const Posts = z.object({
  elements: z.array(
    z.object({ id: z.string(), commentary: z.string().default(''), createdAt: z.number().default(0) }),
  ),
})

/** LinkedIn, for a member or a page. It knows no key: the posts of a page can be read back, those of a member cannot. */
export const linkedin: Connector = {
  type: 'professional_network',
  rules: linkedinRules,
  capabilities: {
    takes: 'post',
    text: [{ max: 3_000, unit: 'characters', count: (text) => commentaryOf(text).length }],
    media: {
      min: 0,
      max: 20,
      fixed: true,
      files: { types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 20 * 1024 * 1024 },
    },
    remove: true,
    limits: [],
  },
  accounts: linkedinAccounts,
  async publish(call, piece) {
    const images = await uploaded(call, piece)
    if (images.length > 0 && !(await areReady(call, images))) return { againInS: 10 }
    const answer = await askRest(call, {
      method: 'POST',
      url: linkedinUrl(call, '/rest/posts'),
      json: {
        author: call.account['author'],
        commentary: commentaryOf(piece.text),
        visibility: 'PUBLIC',
        distribution: {
          feedDistribution: 'MAIN_FEED',
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        lifecycleState: 'PUBLISHED',
        isReshareDisabledByAuthor: false,
        ...contentOf(piece, images),
      },
      effect: 'once',
    })
    const id = answer.headers.get('x-restli-id')
    if (id === null) throw new PlatformError('unknown', 'The platform did not say what it has made')
    return toPublished(id)
  },
  async reconcile(call, piece) {
    const { author = '' } = call.account
    if (!isPage(author)) return { state: 'cannot_tell' }
    const path = `/rest/posts?q=author&author=${encodeURIComponent(author)}&count=20&sortBy=LAST_MODIFIED`
    const { elements } = await readRest(call, path, Posts, { 'x-restli-method': 'FINDER' })
    const since = piece.madeAt.getTime() - 120_000
    const found = elements.find(
      ({ commentary, createdAt }) => createdAt >= since && saysTheSame(plainOf(commentary), piece.text),
    )
    return found ? { state: 'published', ...toPublished(found.id) } : { state: 'unclear' }
  },
  async edit(call, { text }, { externalId }) {
    const url = linkedinUrl(call, `/rest/posts/${encodeURIComponent(externalId)}`)
    const headers = { ...linkedinHeaders(call), 'x-restli-method': 'PARTIAL_UPDATE' }
    const json = { patch: { $set: { commentary: commentaryOf(text) } } }
    const { status } = await call.ask({ method: 'POST', url, headers, json }, [404])
    if (status === 404) throw postIsGone()
    return toPublished(externalId)
  },
  async remove(call, { externalId }) {
    const url = linkedinUrl(call, `/rest/posts/${encodeURIComponent(externalId)}`)
    await call.ask({ method: 'DELETE', url, headers: linkedinHeaders(call) }, [404])
  },
  async metrics(call, { externalId }) {
    const { author = '' } = call.account
    // What a member's posts have come to is told to few clients.
    if (!isPage(author)) return null
    const list = externalId.startsWith('urn:li:ugcPost:') ? 'ugcPosts' : 'shares'
    const page = `organizationalEntity=${encodeURIComponent(author)}`
    const path = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&${page}&${list}=List(${encodeURIComponent(externalId)})`
    const [found] = (await readRest(call, path, Statistics, { 'x-restli-method': 'FINDER' })).elements
    if (!found) return null
    const { impressionCount, uniqueImpressionsCount, clickCount, likeCount, commentCount, shareCount } =
      found.totalShareStatistics
    return {
      impressions: impressionCount,
      reach: uniqueImpressionsCount,
      clicks: clickCount,
      // Falls below nothing where more have taken theirs back than the platform has counted.
      reactions: Math.max(0, likeCount),
      comments: commentCount,
      shares: shareCount,
    }
  },
}

const isPage = (author: string) => author.startsWith('urn:li:organization:')

const toPublished = (id: string): Published => ({
  externalId: id,
  url: `https://www.linkedin.com/feed/update/${id}`,
})

function contentOf({ media }: OutgoingPiece, ids: readonly string[]) {
  const images = ids.map((id, n) => ({ id, ...(media[n]?.alt && { altText: media[n].alt.slice(0, 4_000) }) }))
  const [first, ...others] = images
  if (!first) return {}
  return { content: others.length > 0 ? { multiImage: { images } } : { media: first } }
}

/** Uploads the pictures that are missing, each to the address that is handed out for it. @returns their ids in order */
async function uploaded(call: PublishCall, { media }: OutgoingPiece): Promise<string[]> {
  const ids = (call.progress['images'] ?? '').split(' ').filter(Boolean)
  for (const picture of media.slice(ids.length)) {
    const { bytes, type } = await call.fetch(picture)
    const begun = await askRest(call, {
      method: 'POST',
      url: linkedinUrl(call, '/rest/images?action=initializeUpload'),
      json: { initializeUploadRequest: { owner: call.account['author'] } },
      effect: 'repeatable',
    })
    const { uploadUrl, image } = readAs(begun, Upload).value
    const headers = { ...bearerOf(call), 'content-type': type }
    await call.request({
      method: 'PUT',
      url: uploadAddress(call, uploadUrl),
      headers,
      bytes,
      effect: 'repeatable',
    })
    ids.push(image)
    await call.save({ ...call.progress, images: ids.join(' ') })
  }
  return ids
}

/** The token goes to no other host than the platform's, whatever its answer says. */
function uploadAddress({ urls: { uploadBaseUrl, baseUrl } }: PublishCall, given: string): URL {
  const base = uploadBaseUrl ?? baseUrl
  const { hostname, protocol } = new URL(given)
  if (base === undefined && (protocol !== 'https:' || !hostname.endsWith('.linkedin.com')))
    throw new PlatformError('policy', `The platform wants the picture to go to ${hostname}`)
  return addressOf(given, base)
}

/** A page may look whether its pictures are ready; for a member there is nothing but waiting once. */
async function areReady(call: PublishCall, ids: readonly string[]): Promise<boolean> {
  if (call.progress['ready'] === 'yes') return true
  for (const id of isPage(call.account['author'] ?? '') ? ids : []) {
    const { status } = await readRest(call, `/rest/images/${encodeURIComponent(id)}`, Image)
    if (status === 'PROCESSING_FAILED')
      throw new PlatformError('validation', 'The platform cannot read a picture')
    if (status !== 'AVAILABLE') return false
  }
  await call.save({ ...call.progress, ready: 'yes' })
  return isPage(call.account['author'] ?? '')
}
