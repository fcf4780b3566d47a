import { type Block, bullets, heading, para } from './blocks.ts'
import type { Material } from './material.ts'
import { capitalised, fitting, phrase, sentence } from './wording.ts'

/** A brief in the sections that `parseBrief` knows, so that texts can be composed of it. */
export function campaignBrief(m: Material): Block[] {
  const { brief } = m
  return [
    heading(1, brief.campaign),
    heading(2, 'Goal'),
    para([m.goal && sentence(m.goal), ...(brief.terms ?? []).map(sentence)]),
    heading(2, 'Company'),
    para([m.about ?? (m.company && sentence(m.company))]),
    heading(2, 'Products'),
    bullets(
      (brief.products ?? m.products).map(({ name, facts }) =>
        facts.length > 0 ? `${phrase(name)}: ${facts.map(phrase).join('; ')}` : phrase(name),
      ),
    ),
    heading(2, 'Audience'),
    para([brief.audience?.trim() || (m.audience && capitalised(sentence(m.audience)))]),
    heading(2, 'Key messages'),
    bullets([...(m.lead && !m.needs.includes('key messages') ? [m.lead] : []), ...m.messages, ...m.extras]),
    heading(2, 'Voice'),
    para([m.voice && sentence(m.voice)]),
    heading(2, 'Call to action'),
    para([m.action]),
    heading(2, 'Do not say'),
    bullets(m.banned.map((wording) => `“${wording}”`)),
  ]
}

const LONGEST_NAME = 80

/** The groups that the brief and the brand name, one section each. None is made up, and no size is guessed. */
export function audiences(m: Material): Block[] {
  const { brief } = m
  const told = brief.audience?.trim() || m.audience
  const named = (brief.audiences ?? []).filter(({ name }) => name.trim() !== '')
  const own = told
    ? [{ name: fitting(capitalised(phrase(told)), LONGEST_NAME) ?? brief.campaign, description: told }]
    : []
  const groups = [...own, ...named]
  return [
    heading(1, `Audiences: ${brief.campaign}`),
    para([
      groups.length === 0
        ? 'Neither the brief nor the brand says whom the campaign is for, and inventing a group would help nobody.'
        : 'These are the groups that the brief and the brand name. Their sizes are not known.',
    ]),
    ...groups.flatMap(({ name, description }) => [
      heading(2, phrase(name)),
      para([description.trim() || phrase(name)]),
    ]),
  ]
}
