import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { namesIn, renderTemplate, TemplateError } from '../../../../platform/mail/liquid.ts'
import type { EmailTemplateRow, TemplateVariable } from './entities.ts'

type Source = Pick<EmailTemplateRow, 'slug' | 'subject' | 'bodyHtml' | 'bodyText' | 'variables' | 'sendVia'>

/**
 * Checks what a template says before it is kept: that it can be read and rendered, that it uses what it declares, that a mail of its
 * kind has that, and that there is the way by which it goes out.
 * @throws DomainError `VALIDATION_ERROR` naming the field; `UNPROCESSABLE` for a way that is not configured
 */
export async function checkTemplate(ctx: Ctx, template: Source): Promise<void> {
  const { slug, variables, sendVia } = template
  const kind = ctx.services.mailKinds.get(slug)
  for (const [index, { key }] of variables.entries()) {
    if (kind && !Object.hasOwn(kind.variables, key))
      throw invalid(
        `variables.${index}.key`,
        `A mail “${slug}” has no variable ${key}; it has ${Object.keys(kind.variables).join(', ')}`,
      )
  }
  for (const field of ['subject', 'bodyHtml', 'bodyText'] as const)
    await checkSource(field, template[field], variables)
  const { ways } = ctx.services.mail
  if (!ways.includes(sendVia))
    throw new DomainError(
      'UNPROCESSABLE',
      `This server has no way out called ${sendVia}; it has ${ways.join(', ')}. See the settings mail.* of its configuration.`,
      { field: 'sendVia' },
    )
}

async function checkSource(
  field: string,
  source: string,
  variables: readonly TemplateVariable[],
): Promise<void> {
  const declared = new Set(variables.map(({ key }) => key))
  try {
    const unknown = (await namesIn(source)).filter((name) => !declared.has(name))
    if (unknown.length > 0)
      throw invalid(
        field,
        `It uses ${unknown.join(', ')}, which ${unknown.length === 1 ? 'is' : 'are'} not declared in variables`,
      )
    // Once with all variables and once without those that may be absent: a template that loops is found here, not with the first mail.
    const samples = Object.fromEntries(variables.map(({ key }) => [key, key]))
    const least = Object.fromEntries(
      variables.filter(({ required }) => required).map(({ key }) => [key, key]),
    )
    for (const values of [samples, least])
      await renderTemplate(source, field === 'bodyHtml' ? 'html' : 'text', values)
  } catch (error) {
    throw error instanceof TemplateError ? invalid(field, error.message) : error
  }
}
