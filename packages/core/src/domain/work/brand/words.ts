import type { PromptPlaceholder } from '../../agents/configuration/settings.ts'
import type { Brand, Described } from './entities.ts'

type OfBrand = Extract<
  PromptPlaceholder,
  'company' | 'brand_voice' | 'products' | 'audiences' | 'competitors' | 'banned_phrases' | 'claims'
>

/**
 * What a prompt's placeholders for the brand stand for.
 * @param tenantName how the company is called unless its profile says otherwise
 */
export function brandWords(brand: Brand | null, tenantName: string): Record<OfBrand, string> {
  return {
    company: brand?.company.name ?? tenantName,
    brand_voice: brand?.voice.trim() || 'as the campaign brief says',
    products: namesOf(brand?.products),
    audiences: namesOf(brand?.audiences),
    competitors: namesOf(brand?.competitors),
    banned_phrases: brand?.bannedPhrases.join('; ') ?? '',
    claims: brand?.claims.map(({ phrase }) => phrase).join('; ') ?? '',
  }
}

/** The part of a prompt that tells about the brand; undefined where nothing is known. */
export function aboutBrand(brand: Brand): string | undefined {
  const { company, products, audiences, competitors, bannedPhrases, claims } = brand
  const parts: Array<[string, readonly string[]]> = [
    ['', company.description.trim() === '' ? [] : [company.description.trim()]],
    ['Products', products.map(lineOf)],
    ['Audiences', audiences.map(lineOf)],
    ['Competitors', competitors.map(lineOf)],
    ['Never say', bannedPhrases.map((phrase) => `- ${phrase}`)],
    [
      'Say only with the proof beside it, and not at all where there is none',
      claims.map(({ phrase, proof }) => `- ${phrase}: ${proof ?? 'no proof'}`),
    ],
  ]
  const text = parts
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [...(title === '' ? [] : [`${title}:`]), ...lines].join('\n'))
    .join('\n\n')
  return text === '' ? undefined : text
}

const lineOf = ({ name, description }: Described) =>
  description.trim() === '' ? `- ${name}` : `- ${name}: ${description.trim()}`

const namesOf = (items: readonly Described[] = []) => items.map(({ name }) => name).join(', ')
