import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { TemplateError } from '../../../../platform/mail/liquid.ts'
import { MailError } from '../../../../platform/mail/mail.ts'
import { handOverMail } from '../send-email.ts'
import { getEmailTemplate } from './queries.ts'
import { fillTemplate, type WrittenMail } from './render.ts'
import type { EmailPreview } from './schemas.ts'

/**
 * Mails a template with sample variables, at once and by the way that its mails take. Serves
 * `POST /admin/v1/email-templates/:templateId/preview`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for variables that are missing or not declared; `UNPROCESSABLE` when the mail
 *   cannot be rendered, its way out does not take it, or its address is off
 */
export async function previewEmailTemplate(
  ctx: Ctx,
  id: string,
  { to, sampleVariables }: EmailPreview,
): Promise<{ sent: true; messageId: string }> {
  const { tenantId, sendVia: via } = await getEmailTemplate(ctx, id)
  const written = await renderEmailTemplate(ctx, id, sampleVariables)
  await transact(ctx, async (txn) =>
    txn.audit({ tenantId, resourceType: 'email_template', resourceId: id, after: { to } }),
  )
  const mail = { id: ctx.newId(), to, ...written, via }
  const messageId = await handOverMail(ctx, mail, tenantId).catch((error: unknown) => {
    if (!(error instanceof MailError)) throw error
    throw new DomainError('UNPROCESSABLE', error.message, { cause: error })
  })
  if (messageId === undefined)
    throw new DomainError('UNPROCESSABLE', 'E-mails to this address come back, so none is sent any more')
  return { sent: true, messageId }
}

/** A template with the variables that someone gives, as its reader would see it. @throws DomainError as `previewEmailTemplate` */
export async function renderEmailTemplate(
  ctx: Ctx,
  id: string,
  given: Readonly<Record<string, string>>,
): Promise<Omit<WrittenMail, 'via'>> {
  const { variables, ...source } = await getEmailTemplate(ctx, id)
  const declared = new Set(variables.map(({ key }) => key))
  const strange = Object.keys(given).find((key) => !declared.has(key))
  if (strange !== undefined)
    throw invalid(`sampleVariables.${strange}`, 'The template declares no such variable')
  const missing = variables.find(({ key, required }) => required && !Object.hasOwn(given, key))
  if (missing) throw invalid(`sampleVariables.${missing.key}`, 'The template requires this variable')
  try {
    return await fillTemplate(source, given)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new DomainError('UNPROCESSABLE', error.message, { cause: error })
  }
}
