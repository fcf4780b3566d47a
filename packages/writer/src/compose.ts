import { adCopy } from './ads.ts'
import { blogPost, newsletter } from './articles.ts'
import { type Block, boxes, heading, markdownOf, para, purged, rewritten, sized } from './blocks.ts'
import type { PieceKind, StructuredBrief } from './brief.ts'
import { audiences, campaignBrief } from './campaigns.ts'
import { type Material, materialOf } from './material.ts'
import { PROVENANCE, withoutNotes } from './notes.ts'
import { outreach } from './outreach.ts'
import { listingPost, socialPost } from './posts.ts'
import { performanceReport, websiteAudit } from './reports.ts'
import { reviewRequests } from './reviews.ts'
import { edited, outline, pieceName, plan, research, stepKind } from './steps.ts'
import { capitalised, joined } from './wording.ts'

const NOTES = '**Editor’s note**'

const pieces: Readonly<Record<PieceKind, (m: Material) => Block[]>> = {
  blog_post: blogPost,
  social_post: socialPost,
  gbp_post: listingPost,
  ad_copy: adCopy,
  email_newsletter: newsletter,
  backlink: outreach,
  website_audit: websiteAudit,
  performance_report: performanceReport,
}

/**
 * Composes a step as Markdown. The same brief gives the same bytes. States nothing that is not in the brief
 * or in a reviewer's note; lists at the end what is missing, and how notes were applied.
 */
export function compose(brief: StructuredBrief): string {
  const m = materialOf(brief)
  const blocks = bodyOf(m)
  const worded = rewritten(blocks, m.wishes.replacements)
  // A brief says which wordings are ruled out.
  const body = brief.preparation === 'campaign_brief' ? worded : purged(worded, m.banned)
  return [markdownOf(body), '---', ...notesOf(m), PROVENANCE].join('\n\n').concat('\n')
}

function prepared(m: Material, preparation: NonNullable<StructuredBrief['preparation']>): Block[] {
  if (preparation === 'review_requests') return reviewRequests(m)
  return preparation === 'audience' ? audiences(m) : campaignBrief(m)
}

function bodyOf(m: Material): Block[] {
  const { preparation } = m.brief
  if (preparation) return sized(prepared(m, preparation), 0)
  const kind = stepKind(m.brief.step)
  if (!m.lead && m.products.length === 0 && !m.audience && m.extras.length === 0 && kind !== 'edit')
    return nothingYet(m)
  const length = m.wishes.length
  switch (kind) {
    case 'plan':
      return sized(plan(m), length)
    case 'research':
      return sized(research(m), length)
    case 'outline':
      return sized(outline(m), length)
    case 'edit': {
      const { priorText = '', feedback = [] } = m.brief
      // The writer's own draft is composed again with the notes instead of being edited.
      if (priorText.trim() && !(feedback.length > 0 && priorText.includes(PROVENANCE))) {
        return edited(m, withoutNotes(priorText))
      }
      break
    }
    case 'report':
      if (!m.brief.deliverable) return sized(performanceReport(m), length)
      break
    default:
      break
  }
  return sized(pieces[m.brief.deliverable ?? 'blog_post'](m), length)
}

/** An empty brief gives no text, but the list of what it must contain. */
function nothingYet(m: Material): Block[] {
  const report =
    m.brief.deliverable === 'website_audit'
      ? websiteAudit
      : m.brief.deliverable === 'performance_report'
        ? performanceReport
        : undefined
  if (report) return sized(report(m), m.wishes.length)
  const missing = m.needs.map((need) => capitalised(`${need}.`))
  m.needs.length = 0
  return [
    heading(1, m.brief.topic ?? m.brief.campaign),
    para([
      `The brief says nothing yet that ${withArticle(pieceName(m))} could be written from, and inventing it would help nobody.`,
    ]),
    heading(2, 'Needed in the brief'),
    boxes(missing),
  ]
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}

function notesOf(m: Material): string[] {
  const lines = [
    m.changes.length > 0 && `- Changed after review: ${m.changes.join('; ')}.`,
    m.needs.length > 0 && `- Still needed: ${joined(m.needs)}.`,
    ...m.open.map((note) => `- Not understood, left to a person or a connected model: “${note}”`),
    ...m.remarks.map((remark) => `- ${remark}`),
  ].filter(Boolean)
  return lines.length > 0 ? [`${NOTES}\n\n${lines.join('\n')}`] : []
}
