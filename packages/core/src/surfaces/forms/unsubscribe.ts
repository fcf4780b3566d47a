import { z } from 'zod'
import { unsubscribe as end, senderOfLink } from '../../domain/delivery/unsubscribe.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'
import { messagePage } from './pages.ts'

const params = { linkKey: z.string().regex(/^[0-9a-f]{32}$/) }

export const unsubscribePage = raw({
  id: 'forms.unsubscribe_page',
  route: 'GET /unsubscribe/:linkKey',
  summary: 'The page on which someone unsubscribes from the mails of a tenant',
  description: 'It changes nothing by itself: programs that look at each link of a mail must end nothing.',
  access: publicAccess,
  params,
  reply: { 200: 'text/html' },
}).handle(async (ctx, { params: { linkKey } }) => {
  const name = await senderOfLink(ctx, linkKey)
  return messagePage('Unsubscribe', `Do you want no more messages of this kind from ${name}?`, 'Unsubscribe')
})

export const unsubscribe = raw({
  id: 'forms.unsubscribe',
  route: 'POST /unsubscribe/:linkKey',
  summary: 'End the mails of a tenant’s sequences and outreach to the address of a link',
  description: 'The one click of RFC 8058, and the button of the page. What is sent with it is not read.',
  access: publicAccess,
  params,
  maxBodyBytes: 16 * 1024,
  reply: { 200: 'text/html' },
  audit: 'lead.unsubscribe',
}).handle(async (ctx, { params: { linkKey } }) => {
  const name = await end(ctx, linkKey)
  return messagePage('Done', `You get no more messages of this kind from ${name}.`)
})
