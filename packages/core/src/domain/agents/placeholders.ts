import { invalid } from '../errors.ts'

/** What `{{name}}` in a prompt template stands for. */
export const promptPlaceholders = {
  company: 'the name of the company',
  campaign: 'the name of the campaign, or “no campaign”',
  deliverable: 'what is to be made, such as “blog post”',
  brand_voice: 'how the brand speaks',
  products: 'the names of its products',
  audiences: 'whom it speaks to',
  competitors: 'whom it competes with',
  banned_phrases: 'what no text may say',
  claims: 'what texts may say with proof only',
  role: 'the name of the agent',
} as const
export type PromptPlaceholder = keyof typeof promptPlaceholders

/**
 * Refuses a template with a placeholder that nothing fills: it would be left out of every prompt, and nobody would see it.
 * @param names what can be filled; default: what every agent's prompt can name
 * @throws DomainError `VALIDATION_ERROR` on `field`
 */
export function checkPlaceholders(
  template: string,
  field: string,
  names: readonly string[] = Object.keys(promptPlaceholders),
): void {
  for (const [whole, name = ''] of template.matchAll(/\{\{([^{}]*)\}?\}?/g)) {
    if (whole.endsWith('}}') && names.includes(name.trim())) continue
    const known = names.map((one) => `{{${one}}}`)
    throw invalid(field, `Nothing fills ${whole.slice(0, 60).trim()}; there are ${known.join(', ')}`)
  }
}
