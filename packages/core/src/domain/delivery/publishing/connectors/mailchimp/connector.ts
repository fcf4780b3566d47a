import { z } from 'zod'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { mostReferences } from '../../../../media/references.ts'
import type { Connector, PublishCall, Published } from '../../connector.ts'
import type { MediaFile } from '../../picture.ts'
import type { OutgoingPiece } from '../../piece.ts'
import { readAs } from '../requests.ts'
import { type PictureUpload, withUploads } from '../uploads.ts'
import { mailchimpAuth, mailchimpLists } from './accounts.ts'
import { mailchimpLogin, mailchimpRules, mailchimpUrl, readMailchimp, sendMailchimp } from './api.ts'

const Campaign = z.object({ id: z.string(), status: z.string(), archive_url: z.string().optional() })
type Campaign = z.output<typeof Campaign>
const Found = z.object({
  campaigns: z.array(Campaign.extend({ settings: z.object({ title: z.string().default('') }) })),
})
const count = z.int().nonnegative()
const Report = z.object({
  emails_sent: count,
  opens: z.object({ unique_opens: count }),
  clicks: z.object({ unique_clicks: count }),
  unsubscribed: count,
})
const Checklist = z.object({
  is_ready: z.boolean(),
  items: z.array(
    z.object({ type: z.string(), heading: z.string().default(''), details: z.string().default('') }),
  ),
})

const fields = 'id,status,archive_url'
/** What Mailchimp asks of every mail: who sends it, and a way out. */
const footer = '<p>*|LIST:ADDRESSLINE|*</p><p><a href="*|UNSUB|*">Unsubscribe</a></p>'

/** Mailchimp: a campaign is made and filled first, under a title that only this intent has; it can be sent once. */
export const mailchimp: Connector = {
  type: 'email_platform_a',
  rules: mailchimpRules,
  capabilities: {
    takes: 'article',
    asMail: true,
    text: [],
    media: {
      min: 0,
      max: mostReferences,
      files: { types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 5_000_000 },
    },
    remove: false,
    limits: [],
  },
  auth: mailchimpAuth,
  accounts: mailchimpLists,
  isOut: ({ sent }) => sent === 'yes',
  async publish(call, piece) {
    const campaign =
      (await knownCampaign(call)) ?? (await lostCampaign(call, piece)) ?? (await createCampaign(call, piece))
    if (call.progress['campaignId'] !== campaign.id)
      await call.save({ ...call.progress, campaignId: campaign.id })
    if (isOut(campaign)) return toPublished(campaign)
    const path = `/campaigns/${campaign.id}`
    const shown = await withUploads(call, piece, uploadFile)
    const html = `<h1>${piece.title.replace(/[&<>]/g, ' ')}</h1>\n${shown}\n${footer}`
    await sendMailchimp(call, {
      method: 'PUT',
      url: mailchimpUrl(call, `${path}/content`),
      json: { html },
      effect: 'repeatable',
    })
    await requireReady(call, path)
    await sendMailchimp(call, {
      method: 'POST',
      url: mailchimpUrl(call, `${path}/actions/send`),
      effect: 'once',
    })
    await call.save({ ...call.progress, campaignId: campaign.id, sent: 'yes' })
    return toPublished((await knownCampaign(call)) ?? campaign)
  },
  async reconcile(call) {
    const campaign = await knownCampaign(call)
    if (call.progress['campaignId'] === undefined) return { state: 'absent' }
    if (!campaign) return { state: 'unclear' }
    if (isOut(campaign)) return { state: 'published', ...toPublished(campaign) }
    // Once it is on its way, Mailchimp refuses to send it again.
    return { state: campaign.status === 'save' ? 'absent' : 'unclear' }
  },
  async metrics(call, { externalId }) {
    const url = mailchimpUrl(call, `/reports/${encodeURIComponent(externalId)}`)
    const answer = await call.ask({ url, headers: mailchimpLogin(call) }, [404])
    if (answer.status === 404) return null
    const { emails_sent: deliveries, opens, clicks, unsubscribed: unsubscribes } = readAs(answer, Report)
    return { deliveries, opens: opens.unique_opens, clicks: clicks.unique_clicks, unsubscribes }
  },
}

const isOut = ({ status }: Campaign) => status === 'sending' || status === 'sent'
const toPublished = ({ id, archive_url: url }: Campaign): Published => ({ externalId: id, url: url ?? null })
const titleOf = ({ title, key }: OutgoingPiece) => `${title.slice(0, 60)} ${key}`

/** The campaign of an earlier attempt; undefined where there was none, or someone has deleted it. */
async function knownCampaign(call: PublishCall): Promise<Campaign | undefined> {
  const { campaignId } = call.progress
  if (campaignId === undefined) return undefined
  const url = mailchimpUrl(call, `/campaigns/${campaignId}`, { fields })
  const answer = await call.ask({ url, headers: mailchimpLogin(call) }, [404])
  return answer.status === 404 ? undefined : readAs(answer, Campaign)
}

/** One whose answer was lost. */
async function lostCampaign(call: PublishCall, piece: OutgoingPiece): Promise<Campaign | undefined> {
  const wanted = 'campaigns.id,campaigns.status,campaigns.archive_url,campaigns.settings.title'
  const since = new Date(piece.madeAt.getTime() - 120_000).toISOString()
  const url = mailchimpUrl(call, '/campaigns', { fields: wanted, since_create_time: since, count: '100' })
  const { campaigns } = await readMailchimp(call, url, Found)
  return campaigns.find(({ settings }) => settings.title === titleOf(piece))
}

async function createCampaign(call: PublishCall, piece: OutgoingPiece): Promise<Campaign> {
  const { list = '', fromName = '', replyTo = '' } = call.account
  const settings = {
    subject_line: piece.title,
    preview_text: piece.excerpt,
    title: titleOf(piece),
    from_name: fromName,
    reply_to: replyTo,
    auto_footer: false,
  }
  const json = { type: 'regular', recipients: { list_id: list }, settings }
  // A second one is not sent: it is found by its title, or lies there unseen.
  const request = {
    method: 'POST',
    url: mailchimpUrl(call, '/campaigns'),
    json,
    effect: 'repeatable',
  } as const
  return readAs(await sendMailchimp(call, request), Campaign)
}

/** Puts a picture into the account's file manager. A second copy of it harms nobody. @returns its address there */
async function uploadFile(
  call: PublishCall,
  { bytes }: MediaFile,
  { fileName }: PictureUpload,
): Promise<string> {
  const answer = await sendMailchimp(call, {
    method: 'POST',
    url: mailchimpUrl(call, '/file-manager/files'),
    json: { name: fileName, file_data: Buffer.from(bytes).toString('base64') },
    effect: 'repeatable',
  })
  return readAs(answer, z.object({ full_size_url: z.url() })).full_size_url
}

/** @throws PlatformError `policy` with what Mailchimp finds missing */
async function requireReady(call: PublishCall, path: string): Promise<void> {
  const { is_ready: isReady, items } = await readMailchimp(
    call,
    mailchimpUrl(call, `${path}/send-checklist`),
    Checklist,
  )
  if (isReady) return
  const wrong = items.filter(({ type }) => type === 'error')
  const words = wrong.map(({ heading, details }) => `${heading}: ${details}`).join('; ')
  throw new PlatformError('policy', words || 'The campaign is not ready to be sent')
}
