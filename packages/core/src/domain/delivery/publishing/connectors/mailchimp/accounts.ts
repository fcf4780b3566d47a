import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { ChannelAuth } from '../../../../accounts/channels/ports.ts'
import type { PlatformAccount } from '../../connector.ts'
import { addressOf, readAs } from '../requests.ts'
import { mailchimpRules, mailchimpUrl, readMailchimp } from './api.ts'

/** Bad tokens are answered with 200 and an error. */
const Metadata = z.union([z.object({ dc: z.string() }), z.object({ error: z.string() })])
const Lists = z.object({
  lists: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      campaign_defaults: z.object({ from_name: z.string(), from_email: z.string() }),
    }),
  ),
})

/** A key of the account, in the place of a consent. */
export const mailchimpAuth: ChannelAuth = {
  rules: mailchimpRules,
  fields: { secret: 'API key' },
  opensSeveral: true,
  async verify(call) {
    const { account_name: accountName } = await readMailchimp(
      call,
      mailchimpUrl(call, '/'),
      z.object({ account_name: z.string() }),
    )
    return { accountName, account: null }
  },
}

/** The lists of an account: mail goes to one of them, from the sender that it names. */
export async function mailchimpLists(call: PlatformCall): Promise<PlatformAccount[]> {
  const centre = call.secrets.accessToken === undefined ? undefined : await centreOf(call)
  const own = centre === undefined ? call : { ...call, account: { centre } }
  const fields = 'lists.id,lists.name,lists.campaign_defaults'
  const { lists } = await readMailchimp(own, mailchimpUrl(own, '/lists', { fields, count: '100' }), Lists)
  return lists.map(({ id, name, campaign_defaults: { from_name: fromName, from_email: replyTo } }) => ({
    name,
    account: { list: id, fromName, replyTo, ...(centre !== undefined && { centre }) },
  }))
}

async function centreOf(call: PlatformCall): Promise<string> {
  const { authBaseUrl, baseUrl } = call.urls
  const url = addressOf('https://login.mailchimp.com/oauth2/metadata', authBaseUrl ?? baseUrl)
  const headers = { authorization: `OAuth ${call.secrets.accessToken ?? ''}` }
  const found = readAs(await call.request({ url, headers, effect: 'read' }), Metadata)
  if ('error' in found) throw new PlatformError('auth', found.error)
  return found.dc
}
