import { z } from 'zod'
import { sha256Hex } from '../../../../../platform/crypto/hash.ts'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { Connector, PlatformAccount, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { googleRules } from '../google.ts'
import { addressOf, bearerOf, postIsGone, readAs, requestAs } from '../requests.ts'
import { graphemesOf, saysTheSame } from '../same-text.ts'
import { readPlaceDays } from './performance.ts'

const LocalPost = z.object({
  name: z.string(),
  state: z.string().default('PROCESSING'),
  summary: z.string().default(''),
  searchUrl: z.string().optional(),
  createTime: z.string().default(''),
})
type LocalPost = z.output<typeof LocalPost>
const Accounts = z.object({ accounts: z.array(z.object({ name: z.string() })).default([]) })
const Places = z.object({
  locations: z.array(z.object({ name: z.string(), title: z.string().default('') })).default([]),
})

const posts = 'https://mybusiness.googleapis.com/v4'
const mostAccounts = 20

/** A place in Google Maps and Search. Posts can be listed, so that one whose answer was lost is found by its text. */
export const googleBusiness: Connector = {
  type: 'business_profile',
  rules: googleRules,
  capabilities: {
    takes: 'post',
    text: [{ max: 1_500, unit: 'characters', count: graphemesOf }],
    // Fetched by Google; a video fails for ever.
    media: {
      min: 0,
      max: 1,
      fixed: true,
      fetched: { types: ['image/jpeg', 'image/png'], maxBytes: 5 * 1024 * 1024 },
    },
    remove: true,
    limits: [{ name: 'edits', max: 10, perS: 60 }],
  },
  accounts: places,
  isOut: ({ name }) => name !== undefined,
  async publish(call, piece) {
    const { name } = call.progress
    if (name !== undefined) return settledOrForgotten(call, await readPost(call, name))
    const [picture] = piece.media
    const sourceUrl = picture && (await call.address(picture))
    const post = await requestAs(
      call,
      {
        method: 'POST',
        url: at(call, `${posts}/${call.account['place'] ?? ''}/localPosts`),
        json: {
          ...contentOf(piece),
          topicType: 'STANDARD',
          ...(sourceUrl !== undefined && { media: [{ mediaFormat: 'PHOTO', sourceUrl }] }),
        },
        effect: 'once',
      },
      LocalPost,
    )
    await call.save({ name: post.name })
    return settledOrForgotten(call, post)
  },
  async reconcile(call, piece) {
    const url = at(call, `${posts}/${call.account['place'] ?? ''}/localPosts`, { pageSize: '100' })
    const listed = z.object({ localPosts: z.array(LocalPost).default([]) })
    const { localPosts } = await requestAs(call, { url, effect: 'read' }, listed)
    const since = piece.madeAt.getTime() - 120_000
    const found = localPosts.find(
      ({ summary, createTime }) => Date.parse(createTime) >= since && saysTheSame(summary, piece.text),
    )
    if (!found || found.state === 'PROCESSING') return { state: 'unclear' }
    if (found.state === 'REJECTED') throw rejected()
    return { state: 'published', ...toPublished(found) }
  },
  async edit(call, piece, { externalId }) {
    const json = contentOf(piece)
    // Of the text that was sent, after which it is only looked at.
    const changed = sha256Hex(JSON.stringify(json))
    if (call.progress['changed'] === changed) return settled(await readPost(call, externalId))
    // The link of the former text goes, where the new one has none.
    const url = at(call, `${posts}/${externalId}`, { updateMask: 'summary,callToAction' })
    const answer = await call.ask({ method: 'PATCH', url, headers: bearerOf(call), json }, [404])
    if (answer.status === 404) throw postIsGone()
    await call.save({ ...call.progress, changed })
    return settled(readAs(answer, LocalPost))
  },
  async remove(call, { externalId }) {
    const url = at(call, `${posts}/${externalId}`)
    await call.ask({ method: 'DELETE', url, headers: bearerOf(call) }, [404])
  },
  accountDays: (call, span) => readPlaceDays(call, call.account['place'] ?? '', span),
}

/** The text, and a button for its first link. */
function contentOf({ text: summary }: OutgoingPiece) {
  const [url] = /https?:\/\/[^\s<>]+[^\s<>.,;:!?)\]'"]/.exec(summary) ?? []
  return { summary, ...(url !== undefined && { callToAction: { actionType: 'LEARN_MORE', url } }) }
}

const at = ({ urls }: PlatformCall, url: string, query: Record<string, string> = {}): URL =>
  addressOf(url, urls.baseUrl, query)

const readPost = (call: PlatformCall, name: string): Promise<LocalPost> =>
  requestAs(call, { url: at(call, `${posts}/${name}`), effect: 'read' }, LocalPost)

const toPublished = ({ name, searchUrl }: LocalPost): Published => ({
  externalId: name,
  url: searchUrl ?? null,
})

/** What was taken is looked at before it is shown. */
function settled(post: LocalPost): Published | { againInS: number } {
  if (post.state === 'REJECTED') throw rejected()
  return post.state === 'PROCESSING' ? { againInS: 30 } : toPublished(post)
}

/** A post that was rejected is not out: another text, or another try, is another post. */
async function settledOrForgotten(call: PublishCall, post: LocalPost) {
  if (post.state === 'REJECTED') await call.save({})
  return settled(post)
}

const rejected = () =>
  new PlatformError(
    'policy',
    'Google has rejected the post; a telephone number in the text is enough for that',
  )

/** The places that the consent opens. Posts need the account before the place. */
async function places(call: PlatformCall): Promise<PlatformAccount[]> {
  const url = at(call, 'https://mybusinessaccountmanagement.googleapis.com/v1/accounts')
  const { accounts } = await requestAs(call, { url, effect: 'read' }, Accounts)
  const found: PlatformAccount[] = []
  for (const { name: account } of accounts.slice(0, mostAccounts)) {
    const base = `https://mybusinessbusinessinformation.googleapis.com/v1/${account}/locations`
    const query = { readMask: 'name,title', pageSize: '100' }
    const { locations } = await requestAs(call, { url: at(call, base, query), effect: 'read' }, Places)
    for (const { name, title } of locations)
      found.push({ name: title || name, account: { place: `${account}/${name}` } })
  }
  return found
}
