import { preview } from '../../../../kernel/text.ts'
import type { CampaignRow } from '../change.ts'
import type { DeliverableType, TemplateStep } from '../entities.ts'
import { orderedPrompt, pieceLabel } from '../prompts.ts'
import type { ReviewOrder } from './content-schemas.ts'
import { settledOf } from './material.ts'

/** What is settled about a campaign, as lines of a prompt. */
function facts(campaign: CampaignRow): string {
  const goal = campaign.goal ? [`Its goal is ${campaign.goal}`] : []
  return [`The campaign is called “${campaign.name}”`, ...goal, ...settledOf(campaign)]
    .map((line) => `- ${line}.`)
    .join('\n')
}

/** What the brief writer is asked to do. */
export function briefPrompt(campaign: CampaignRow, audience: string): string {
  return [
    'Write the brief of a campaign in Markdown, with a section for each of these that something is known about: Goal, Company, Products, Audience, Key messages, Voice, Call to action, Do not say. Everything that is made for the campaign is made from it.',
    facts(campaign),
    `Whom it is for, in the words of the team:\n\n${audience}`,
    'Use what is said of the brand and the strategy. Where the campaign has a brief already, write it again with what was said since. Write [to be confirmed: …] where a fact is missing.',
  ].join('\n\n')
}

/** What the audience analyst is asked to do. */
export function audiencePrompt(campaign: CampaignRow): string {
  const kind = campaign.type === 'paid_ads' ? 'platform_audience' : 'crm_segment'
  return [
    'Describe the groups of people that a campaign is for, at most eight, the most promising first.',
    facts(campaign),
    `Answer in Markdown. Each group is a section with a heading of the second level, its name; a sentence on who they are and why the campaign is for them; and lines such as “- Interests: home baking” for each thing by which they are found. Say “- Type: ${kind}”, or platform_audience, crm_segment or custom_list where that fits better. Write “- Estimated size: …” only where the material has the number.`,
  ].join('\n\n')
}

/** What the review writer is asked to do. */
export function reviewPrompt(
  campaign: CampaignRow,
  { reviewPlatform, reviewUrl, tone, stepCount, channel }: ReviewOrder,
): string {
  const isSms = channel === 'sms'
  const length = isSms
    ? 'one paragraph of at most 250 characters without the address'
    : 'plain paragraphs of at most 90 words in all'
  return [
    `Write ${stepCount === 1 ? 'one mail that asks' : `${stepCount} mails that ask`} customers for a review on ${reviewPlatform}. They go out one after the other, some days apart; each later one is shorter, and the last says that it is the last.`,
    facts(campaign),
    `The tone is ${tone}. Offer nothing for a review, and ask everybody for an honest one: platforms and laws forbid both. Link to ${reviewUrl} in each mail, as this plain address.`,
    `Answer in Markdown. Each mail is a section with a heading of the second level, such as “## Mail 1”; its first line is “Subject: …” on one line; what follows is its text, in ${length}.${isSms ? ' They go out as text messages to phones: no emphasis, no lists, no pictures, and the subject is for people here only.' : ''} {{firstName}} stands for the first name of the customer; there are no other placeholders but {{lastName}} and {{company}}.`,
  ].join('\n\n')
}

/** The longest title of a subject. */
const longestSubject = 80

/** For example “Ad copy “Rye at night””. */
export function contentTitle(type: DeliverableType, input: Record<string, unknown>): string {
  const subject = ['topic', 'subject', 'title', 'angle']
    .map((name) => input[name])
    .find((value) => typeof value === 'string')
  const words = typeof subject === 'string' ? subject.trim().replace(/\s+/g, ' ') : ''
  const shown = words.length > longestSubject ? `${preview(words, longestSubject - 1)}…` : words
  return `${pieceLabel(type)}${shown && ` “${shown}”`}`
}

/** What the agent of a piece is asked to do. */
export function contentPrompt(
  type: DeliverableType,
  step: TemplateStep,
  input: Record<string, unknown>,
): string {
  const lines = Object.entries(input).map(
    ([name, value]) => `- ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return orderedPrompt(type, step, lines.join('\n'))
}
