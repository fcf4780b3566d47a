import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { mostReferences } from '../../../../media/references.ts'
import { mailedFiles, showPictures } from '../../assets.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { readAs } from '../requests.ts'
import { askBrevo, brevoLogin, brevoRules, brevoUrl, verifiedSender } from './api.ts'
import { sendMail } from './send-mail.ts'

const Lists = z.object({ lists: z.array(z.object({ id: z.int(), name: z.string() })).default([]) })
const Campaign = z.object({ id: z.int(), name: z.string().default(''), status: z.string() })
type Campaign = z.output<typeof Campaign>

const count = z.int().nonnegative().default(0)
const GlobalStats = z.object({ sent: count, uniqueViews: count, uniqueClicks: count, unsubscriptions: count })
const Report = z.object({ statistics: z.object({ globalStats: GlobalStats }) })

/** Brevo: a campaign is made as a draft, under a name that only this intent has; it can be sent once. */
export const brevo: Connector = {
  type: 'email_platform_b',
  rules: brevoRules,
  capabilities: {
    takes: 'article',
    asMail: true,
    text: [],
    media: { min: 0, max: mostReferences, fetched: mailedFiles },
    remove: false,
    // A hundred requests an hour, of which a mail takes five.
    limits: [{ name: 'mails', max: 15, perS: 3_600 }],
  },
  auth: {
    rules: brevoRules,
    fields: { secret: 'API key' },
    opensSeveral: true,
    async verify(call) {
      const about = z.object({ companyName: z.string() })
      const { companyName } = readAs(
        await askBrevo(call, { url: brevoUrl(call, '/account'), effect: 'read' }),
        about,
      )
      return { accountName: companyName, account: null }
    },
  },
  async accounts(call) {
    const sender = await verifiedSender(call)
    const url = brevoUrl(call, '/contacts/lists', { limit: '50', sort: 'desc' })
    const { lists } = readAs(await askBrevo(call, { url, effect: 'read' }), Lists)
    return lists.map(({ id, name }) => ({ name, account: { list: String(id), sender } }))
  },
  isOut: ({ sent }) => sent === 'yes',
  mails: { knownMs: 15 * 60_000, send: sendMail },
  async publish(call, piece) {
    const id =
      call.progress['campaignId'] ?? (await lostCampaign(call, piece)) ?? (await createCampaign(call, piece))
    if (call.progress['campaignId'] !== id) await call.save({ campaignId: id })
    const campaign = await readCampaign(call, id)
    if (isOut(campaign)) return toPublished(call, id)
    if (campaign.status !== 'draft')
      throw new PlatformError('policy', `The campaign is “${campaign.status}” there`)
    const url = brevoUrl(call, `/emailCampaigns/${id}/sendNow`)
    await askBrevo(call, { method: 'POST', url, effect: 'once' })
    await call.save({ campaignId: id, sent: 'yes' })
    return toPublished(call, id)
  },
  async reconcile(call) {
    const { campaignId } = call.progress
    if (campaignId === undefined) return { state: 'absent' }
    const campaign = await readCampaign(call, campaignId)
    if (isOut(campaign)) return { state: 'published', ...(await toPublished(call, campaignId)) }
    // `in_review`: the account is being looked at, and nothing was sent so far.
    return { state: campaign.status === 'draft' ? 'absent' : 'unclear' }
  },
  async metrics(call, { externalId }) {
    const query = { statistics: 'globalStats', excludeHtmlContent: 'true' }
    const url = brevoUrl(call, `/emailCampaigns/${encodeURIComponent(externalId)}`, query)
    const answer = await call.ask({ url, headers: brevoLogin(call) }, [404])
    if (answer.status === 404) return null
    const { sent, uniqueViews, uniqueClicks, unsubscriptions } = readAs(answer, Report).statistics.globalStats
    return { deliveries: sent, opens: uniqueViews, clicks: uniqueClicks, unsubscribes: unsubscriptions }
  },
}

const isOut = ({ status }: Campaign) => ['sent', 'queued', 'in_process'].includes(status)

const nameOf = ({ title, key }: OutgoingPiece) => `${title.slice(0, 60)} ${key}`

async function readCampaign(call: PublishCall, id: string): Promise<Campaign> {
  const url = brevoUrl(call, `/emailCampaigns/${id}`, { excludeHtmlContent: 'true' })
  return readAs(await askBrevo(call, { url, effect: 'read' }), Campaign)
}

/** A draft whose answer was lost. */
async function lostCampaign(call: PublishCall, piece: OutgoingPiece): Promise<string | undefined> {
  const query = { status: 'draft', limit: '50', sort: 'desc', excludeHtmlContent: 'true' }
  const answer = await askBrevo(call, { url: brevoUrl(call, '/emailCampaigns', query), effect: 'read' })
  const { campaigns } = readAs(answer, z.object({ campaigns: z.array(Campaign).default([]) }))
  const found = campaigns.find(({ name }) => name === nameOf(piece))
  return found && String(found.id)
}

async function createCampaign(call: PublishCall, piece: OutgoingPiece): Promise<string> {
  const { list, sender } = call.account
  // Readers see pictures where they are: Brevo takes no files of them.
  const addresses = new Map<string, string>()
  for (const picture of piece.media) addresses.set(picture.url, await call.address(picture, 'always'))
  const html = showPictures(piece.html, piece.media, addresses)
  const json = {
    name: nameOf(piece),
    subject: piece.title,
    sender: { id: Number(sender) },
    htmlContent: `<h1>${piece.title.replace(/[&<>]/g, ' ')}</h1>\n${html}\n<p><a href="{{ unsubscribe }}">Unsubscribe</a></p>`,
    recipients: { listIds: [Number(list)] },
    ...(piece.excerpt !== '' && { previewText: piece.excerpt }),
  }
  // A second draft is not sent: it is found by its name, or lies there unseen.
  const request = {
    method: 'POST',
    url: brevoUrl(call, '/emailCampaigns'),
    json,
    effect: 'repeatable',
  } as const
  const { id } = readAs(await askBrevo(call, request), z.object({ id: z.int() }))
  return String(id)
}

async function toPublished(call: PublishCall, id: string): Promise<Published> {
  const url = brevoUrl(call, `/emailCampaigns/${id}/sharedUrl`)
  const answer = await call.ask({ url, headers: brevoLogin(call) }, [400, 403, 404])
  const { sharedUrl } = z.object({ sharedUrl: z.url().optional() }).catch({}).parse(answer.body)
  return { externalId: id, url: sharedUrl ?? null }
}
