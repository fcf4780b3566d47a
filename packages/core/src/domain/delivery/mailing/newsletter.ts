import type { Ctx } from '../../../kernel/context.ts'
import { escapeHtml } from '../../../platform/mail/text.ts'
import { newsletterOf } from '../../work/content/newsletter.ts'
import { picturesIn, showPictures, type TextAssets, withAssets } from '../publishing/assets.ts'
import { type LinkTags, tagLinks } from '../publishing/link-tags/tags.ts'
import { letterOf } from '../publishing/piece.ts'
import { toPost } from '../publishing/post-text.ts'
import { mailAddresses } from './pictures.ts'
import { type ContactValues, fillPlaceholders, type WordedMail, withWayOut } from './word-mail.ts'

/** A newsletter in the forms that mail programs show, with its placeholders. */
export interface Newsletter {
  subject: string
  text: string
  html: string
}

/** Makes the forms of a newsletter of its Markdown. @param assets those that it names */
export async function composeNewsletter(
  ctx: Ctx,
  { subject, body }: { subject: string; body: string },
  { linkTags, assets }: { linkTags: LinkTags | null; assets: TextAssets },
): Promise<Newsletter> {
  const markdown = linkTags ? tagLinks(body, linkTags) : body
  const letter = await letterOf(ctx, markdown)
  const pictures = withAssets(picturesIn(letter.html), assets)
  const html = showPictures(letter.html, pictures, mailAddresses(ctx, assets))
  return { subject, text: toPost(newsletterOf(markdown).body).text, html }
}

/** A newsletter as one person gets it, with the way out of it. @param from the name of the tenant */
export function wordNewsletter(
  { subject, text, html }: Newsletter,
  { values, ...about }: { values: ContactValues; from: string; link: string },
): WordedMail {
  const { firstName, lastName, company } = values
  const escaped = {
    firstName: escapeHtml(firstName),
    lastName: escapeHtml(lastName),
    company: escapeHtml(company),
  }
  const filled = {
    subject: fillPlaceholders(subject, values),
    text: fillPlaceholders(text, values),
    html: fillPlaceholders(html, escaped),
  }
  return withWayOut(filled, about)
}
