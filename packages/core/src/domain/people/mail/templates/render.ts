import type { Ctx } from '../../../../kernel/context.ts'
import { renderTemplate, TemplateError } from '../../../../platform/mail/liquid.ts'
import type { MailWay } from '../../../../platform/mail/mail.ts'
import { sanitizeHtml } from '../../../../platform/mail/sanitize.ts'
import { oneLine } from '../../../../platform/mail/text.ts'
import { type FilledMail, shippedTemplate } from './kinds.ts'
import { templatesFor } from './queries.ts'

/** A mail as it is read, and how it goes out. */
export interface WrittenMail {
  subject: string
  text: string
  html: string
  /** Undefined goes out as the installation prefers. */
  via?: MailWay
}

/**
 * Writes a mail of a kind as the tenant words it, or the installation. A template that cannot be rendered with what this mail has keeps
 * no mail from its reader: the next one in line is taken, in the end what the product is shipped with.
 * @param tenantId whose mail it is; null of no tenant
 */
export async function writeMail(
  ctx: Ctx,
  { kind, values }: FilledMail,
  tenantId: string | null,
): Promise<WrittenMail> {
  for (const { id, sendVia, ...source } of await templatesFor(ctx, kind.slug, tenantId)) {
    try {
      return { ...(await fillTemplate(source, values)), via: sendVia }
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const { slug } = kind
      ctx.log.warn('an e-mail template cannot be rendered; another is taken', { templateId: id, slug, error })
    }
  }
  return fillTemplate(shippedTemplate(kind), values)
}

/** Puts variables into a template. @throws TemplateError */
export async function fillTemplate(
  source: { subject: string; bodyText: string; bodyHtml: string },
  values: FilledMail['values'],
): Promise<Omit<WrittenMail, 'via'>> {
  const subject = oneLine(await renderTemplate(source.subject, 'text', values)).slice(0, maxSubject)
  const text = await renderTemplate(source.bodyText, 'text', values)
  const html = await sanitizeHtml(await renderTemplate(source.bodyHtml, 'html', values))
  return { subject, text: `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`, html: page(html.trim()) }
}

const maxSubject = 300

const style = 'font: 16px/1.5 sans-serif; max-width: 36em; overflow-wrap: anywhere'
const page = (body: string) =>
  `<!doctype html>\n<html lang="en">\n<body style="${style}">\n${body}\n</body>\n</html>\n`
