import { findForm } from '../../domain/delivery/leads/forms/queries.ts'
import { originsOf, receiveForm } from '../../domain/delivery/leads/forms/receive.ts'
import { publicAccess } from '../../gateway/access.ts'
import { statusOfCode } from '../../gateway/errors.ts'
import { type RawReply, raw } from '../../gateway/raw.ts'
import { DomainError } from '../../kernel/errors.ts'
import { messagePage } from './pages.ts'

export const submit = raw({
  id: 'forms.submit',
  route: 'POST /:formId',
  summary: 'What someone has filled in on a web site of a tenant; it becomes a lead',
  description:
    'Takes `application/x-www-form-urlencoded`, `multipart/form-data` without files, and JSON, at most 16 KiB. A browser that asks for `text/html` is sent on by 303, others get JSON. The answer is the same whether the person is known or not.',
  access: publicAccess,
  limit: { requests: 10, perSeconds: 60, by: 'ip' },
  maxBodyBytes: 16 * 1024,
  origins: (ctx, { formId }) => originsOf(ctx, formId),
  reply: { 200: 'application/json', 303: '' },
  errors: ['FORBIDDEN', 'VALIDATION_ERROR', 'UNPROCESSABLE', 'UNSUPPORTED_MEDIA_TYPE'],
  audit: 'lead_form.receive',
}).handle(async (ctx, { params: { formId }, body, header }): Promise<RawReply> => {
  const asPage = header('accept')?.includes('text/html') ?? false
  try {
    const { redirectUrl } = await receiveForm(ctx, formId, {
      type: header('content-type'),
      bytes: body,
      origin: header('origin'),
      referer: header('referer'),
    })
    if (asPage)
      return {
        status: 303,
        headers: { location: redirectUrl ?? `${formId}/thanks` },
      }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    return {
      headers,
      body: JSON.stringify({
        received: true,
        ...(redirectUrl && { redirectUrl }),
      }),
    }
  } catch (error) {
    if (asPage && error instanceof DomainError && error.code !== 'INTERNAL_ERROR') return refusalPage(error)
    throw error
  }
})

function refusalPage({ code, message, field, retryAfterS }: DomainError): RawReply {
  const text = field === undefined ? message : `${field}: ${message}`
  const page = messagePage('Your message was not sent', `${text}. Go back to change it.`)
  const retryAfter = retryAfterS === undefined ? {} : { 'retry-after': `${retryAfterS}` }
  return {
    status: statusOfCode[code],
    ...page,
    headers: { ...page.headers, ...retryAfter },
  }
}

export const thanks = raw({
  id: 'forms.thanks',
  route: 'GET /:formId/thanks',
  summary: 'The page that browsers are sent to where a form names none of its own',
  access: publicAccess,
  reply: { 200: 'text/html' },
}).handle(async (ctx, { params }) => {
  const { thankYou } = await findForm(ctx, params.formId)
  return messagePage('Thank you', thankYou ?? 'Your message was received.')
})
