import type { PeriodDays } from '../../../kernel/periods.ts'
import { preview } from '../../../kernel/text.ts'
import type { DeliverableType, StepType, TemplateStep } from './entities.ts'
import type { Platform } from './policy.ts'

interface Kind {
  label: string
  /** What a finished piece holds. */
  form: string
}

const kinds: Record<DeliverableType, Kind> = {
  blog_post: {
    label: 'Blog post',
    form: 'A blog post of 900 to 1,400 words in Markdown: one title, a lead that says what the reader gains, sections with headings, a call to action, and a meta description of at most 155 characters at the end.',
  },
  social_post: {
    label: 'Social post',
    form: 'One post, ready to publish: a first line that stands on its own, one idea, one call to action, at most three hashtags. Keep to the length that its network allows.',
  },
  gbp_post: {
    label: 'Business profile post',
    form: 'One business profile update of at most 1,500 characters, the offer or news in the first 80, with the label of one action button.',
  },
  ad_copy: {
    label: 'Ad copy',
    form: 'One ad for searches in Markdown. Below the heading “## Headlines” a list of five to fifteen headlines of at most 30 characters, below the heading “## Descriptions” a list of three or four descriptions of at most 90 characters, and below “## Landing page” the promise that they lead to. Each item of the two lists is one line of plain text that appears in the ad as it is: no count, no remark, no emphasis, no braces, and none of them twice. Chinese, Japanese and Korean characters count as two.',
  },
  email_newsletter: {
    label: 'E-mail newsletter',
    form: 'A newsletter: a line “Subject:” with at most 50 characters, a line “Preview:” with at most 90, and then a body in Markdown of 250 to 500 words with one main call to action. It is sent as it is, without these two lines, so nothing may be left to be chosen or filled in.',
  },
  backlink: {
    label: 'Backlink outreach',
    form: 'One outreach e-mail for each prospect that is worth it and whose address is known, each in a section of its own: a heading of the second level, a line “To:” with the e-mail address, a line “Subject:”, and at most 120 words of plain text that say why this page serves that site’s readers, and what is asked for. It is sent as it is, so nothing may be left to be filled in.',
  },
  website_audit: {
    label: 'Website audit',
    form: 'An audit in Markdown: a summary for a person in a hurry, then findings ordered by effect on visitors and search, each with the evidence, the page and the fix.',
  },
  performance_report: {
    label: 'Performance report',
    form: 'A report in Markdown: what was promised, what was delivered, what it cost, what worked, what did not, and three recommendations for the next period.',
  },
}

const tasks: Record<StepType, string> = {
  research:
    'Collect what the piece will stand on: who it is for and what they ask, the facts of the brief that matter for it, the angle, and open questions. Mark what comes from the brief and what is an assumption; invent no figures and no sources.',
  outline:
    'Lay out the piece before it is written: the one message, the order of the parts with a line on each, and the call to action. Offer choices where there is more than one good way and say which you would take.',
  draft: 'Write the piece in full, ready for review. Hand over the piece itself, without remarks about it.',
  edit: 'Improve the text of the step before: cut, correct, check each claim against the brief. Hand over the whole corrected piece.',
  audit: 'Examine what the brief names and report what you find. Say plainly what you could not check.',
  report: 'Write the report from the figures that you are given. Where a figure is missing, say so.',
  outreach: 'Write the outreach to the prospects of the step before, ready to be sent once approved.',
}

/** What someone has asked for beside what the campaign promises. */
export interface Wish {
  topic: string
  targetKeyword: string | null
  brief: string | null
  platform: string | null
}

/** One step of one piece, as the planner sees it. */
export interface PieceStep {
  type: DeliverableType
  /** From 1. */
  piece: number
  quantity: number
  platforms: readonly Platform[]
  period: PeriodDays
  step: TemplateStep
  isFinal: boolean
  wish?: Wish | undefined
}

/** For example "Blog post 1 of 2: research". */
export function stepTitle({ type, piece, quantity, step, wish }: PieceStep): string {
  const number = quantity === 1 ? '' : ` ${piece} of ${quantity}`
  const label = `${kinds[type].label}${wish ? ` “${beginningOf(wish.topic)}”` : number}`
  return `${label}: ${lowerFirst(step.title)}`
}

const beginningOf = (topic: string) => (topic.length > 80 ? `${preview(topic, 79)}…` : topic)

/** Lower-cases a first letter, but leaves abbreviations such as SEO alone. */
function lowerFirst(text: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

/** What a piece of a type is called. */
export const pieceLabel = (type: DeliverableType) => kinds[type].label

/** What the agent of a piece that someone has asked for beside all plans is asked to do. */
export function orderedPrompt(type: DeliverableType, step: TemplateStep, asked: string): string {
  const { label, form } = kinds[type]
  return [
    `${step.title} for a piece that someone has asked for: ${label.toLowerCase()}.`,
    asked && `What was asked for:\n\n${asked}`,
    tasks[step.type],
    `The finished piece: ${form}`,
    keepToBrief,
  ]
    .filter((line) => line !== '')
    .join('\n\n')
}

const keepToBrief = 'Keep to the campaign brief: its audience, its voice, its claims and what it forbids.'

/** What the agent is asked to do. The brief and the results of earlier steps are put beside it when the run starts. */
export function stepPrompt(about: PieceStep): string {
  const { type, piece, quantity, platforms, period, step, isFinal, wish } = about
  const { label, form } = kinds[type]
  const span = `${period.periodStart} to ${period.periodEnd}`
  const number = wish ? 'that someone has asked for' : `${piece} of ${quantity}`
  return [
    `${step.title} for ${label.toLowerCase()} ${number} in the period ${span}.`,
    wish && `Its subject: ${wish.topic}`,
    wish?.targetKeyword && `The keyword that it is to be found by: ${wish.targetKeyword}`,
    wish?.brief && `What was asked for:\n\n${wish.brief}`,
    tasks[step.type],
    isFinal ? `The finished piece: ${form}` : `It serves this piece, which a later step makes: ${form}`,
    platforms.length > 0 ? `It will appear on: ${platforms.map(({ name }) => name).join(', ')}.` : undefined,
    quantity > 1 && !wish
      ? `${quantity} pieces of this kind are made in the period. Take angle number ${piece} of those that the brief offers, so that no two say the same.`
      : undefined,
    (step.dependsOn?.length ?? 0) > 0
      ? 'Build on the results of the earlier steps that you are given.'
      : undefined,
    keepToBrief,
  ]
    .filter((line) => typeof line === 'string' && line !== '')
    .join('\n\n')
}
