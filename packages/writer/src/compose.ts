import { adCopy } from './ads.ts'
import { blogPost, newsletter, outreach } from './articles.ts'
import { type Block, boxes, heading, markdownOf, para, purged, rewritten, sized } from './blocks.ts'
import type { PieceKind, StructuredBrief } from './brief.ts'
import { type Material, materialOf } from './material.ts'
import { listingPost, socialPost } from './posts.ts'
import { performanceReport, websiteAudit } from './reports.ts'
import { edited, outline, pieceName, plan, research, stepKind } from './steps.ts'
import { capitalised, joined } from './wording.ts'

/** The last line of every text, which names the writer. */
export const PROVENANCE = '*Composed from the brief by Copydesk’s built-in writer. No model was used.*'

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
  const body = purged(rewritten(blocks, m.wishes.replacements), m.banned)
  return [markdownOf(body), '---', ...notesOf(m), PROVENANCE].join('\n\n').concat('\n')
}

function bodyOf(m: Material): Block[] {
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

/** A text without the editor's note and the closing line that `compose` appends. */
export function withoutNotes(text: string): string {
  const end = text.lastIndexOf(PROVENANCE)
  if (end < 0) return text.trim()
  const rule = text.lastIndexOf('\n---\n', end)
  return text.slice(0, rule < 0 ? end : rule).trim()
}
