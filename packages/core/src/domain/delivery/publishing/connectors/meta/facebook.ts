import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { postIsGone, requestAs } from '../requests.ts'
import { saysTheSame } from '../same-text.ts'
import { graphUrl, metaRules, readAllPages } from './graph.ts'
import { facebookInsights, readInsights } from './insights.ts'
import { readPageDays } from './page-days.ts'

const Page = z.object({ id: z.string(), name: z.string() })
const PageToken = z.object({ access_token: z.string() })
const Made = z.object({ id: z.string() })
const Post = z.object({
  id: z.string(),
  message: z.string().default(''),
  permalink_url: z.string().optional(),
})
type Post = z.output<typeof Post>

/** A page at Facebook. It knows no key, but its posts can be read back. Pictures are fetched by Facebook from their addresses. */
export const facebook: Connector = {
  type: 'social_network_a',
  rules: metaRules,
  capabilities: {
    takes: 'post',
    text: [{ max: 63_206, unit: 'characters', count: (text) => text.length }],
    media: {
      min: 0,
      max: 10,
      fixed: true,
      fetched: { types: ['image/jpeg', 'image/png'], maxBytes: 4 * 1024 * 1024 },
    },
    remove: true,
    limits: [],
  },
  async accounts(call) {
    const pages = await readAllPages(call, 'me/accounts', { fields: 'id,name' }, Page)
    return pages.map(({ id, name }) => ({ name, account: { page: id } }))
  },
  isOut: ({ postId }) => postId !== undefined,
  async publish(call, piece) {
    const headers = await pageLogin(call)
    const id = call.progress['postId'] ?? (await createPost(call, headers, piece))
    const url = graphUrl(call, id, { fields: 'id,message,permalink_url' })
    return toPublished(await requestAs(call, { url, headers, effect: 'read' }, Post))
  },
  async reconcile(call, piece) {
    const headers = await pageLogin(call)
    const since = Math.floor(piece.madeAt.getTime() / 1_000) - 120
    const url = graphUrl(call, `${pageOf(call)}/published_posts`, {
      fields: 'id,message,permalink_url',
      since: String(since),
      limit: '25',
    })
    const { data } = await requestAs(
      call,
      { url, headers, effect: 'read' },
      z.object({ data: z.array(Post) }),
    )
    const found = data.find(({ message }) => saysTheSame(message, piece.text))
    return found ? { state: 'published', ...toPublished(found) } : { state: 'unclear' }
  },
  async edit(call, { text }, { externalId }) {
    const headers = await pageLogin(call)
    const id = encodeURIComponent(externalId)
    const url = graphUrl(call, id, { fields: 'id,message,permalink_url' })
    // Of a post by its id nothing else is wrong than that it is not there.
    const post = await requestAs(call, { url, headers, effect: 'read' }, Post).catch((error: unknown) => {
      throw error instanceof PlatformError && error.kind === 'validation' ? postIsGone() : error
    })
    const json = { message: text }
    const request = { method: 'POST', url: graphUrl(call, id), headers, json, effect: 'repeatable' } as const
    await call.request(request)
    return toPublished(post)
  },
  async remove(call, { externalId }) {
    const headers = await pageLogin(call)
    const url = graphUrl(call, encodeURIComponent(externalId))
    await call.request({ method: 'DELETE', url, headers, effect: 'repeatable' })
  },
  async metrics(call, { externalId }) {
    const headers = await pageLogin(call)
    return readInsights(call, externalId, facebookInsights, headers)
  },
  accountDays: async (call, span) => readPageDays(call, pageOf(call), await pageLogin(call), span),
}

const pageOf = ({ account }: PlatformCall) => encodeURIComponent(account['page'] ?? '')

const toPublished = ({ id, permalink_url: url }: Post): Published => ({
  externalId: id,
  url: url ?? `https://www.facebook.com/${id}`,
})

/** The page's own token, which the person's opens. */
async function pageLogin(call: PlatformCall): Promise<{ authorization: string }> {
  const url = graphUrl(call, pageOf(call), { fields: 'access_token' })
  const { access_token: token } = await requestAs(call, { url, effect: 'read' }, PageToken)
  return { authorization: `Bearer ${token}` }
}

async function createPost(
  call: PublishCall,
  headers: { authorization: string },
  { text, media }: OutgoingPiece,
): Promise<string> {
  const page = pageOf(call)
  const photos = (call.progress['photos'] ?? '').split(',').filter(Boolean)
  for (const picture of media.slice(photos.length)) {
    const { alt } = picture
    const url = await call.address(picture)
    // Unpublished: nobody sees it before a post shows it.
    const json = { url, published: false, ...(alt !== '' && { alt_text_custom: alt }) }
    const target = graphUrl(call, `${page}/photos`)
    const request = { method: 'POST', url: target, headers, json, effect: 'repeatable' } as const
    photos.push((await requestAs(call, request, Made)).id)
    await call.save({ ...call.progress, photos: photos.join(',') })
  }
  const attached = photos.map((id) => ({ media_fbid: id }))
  const { id } = await requestAs(
    call,
    {
      method: 'POST',
      url: graphUrl(call, `${page}/feed`),
      headers,
      json: { message: text, published: true, ...(attached.length > 0 && { attached_media: attached }) },
      effect: 'once',
    },
    Made,
  )
  await call.save({ ...call.progress, postId: id })
  return id
}
