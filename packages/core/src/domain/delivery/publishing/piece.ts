import type { Ctx } from '../../../kernel/context.ts'
import { inThread } from '../../../kernel/in-thread.ts'
import { escapeHtml } from '../../../platform/mail/text.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import { newsletterOf } from '../../work/content/newsletter.ts'
import type { ArticleText } from './article.ts'
import { pictureProblems, picturesIn, type TextAssets, withAssets } from './assets.ts'
import type { Capabilities } from './connector.ts'
import { type LinkTags, tagLinks } from './link-tags/tags.ts'
import { type PostText, toPost } from './post-text.ts'

/** `article`: title and HTML; `post`: plain text with pictures. */
export type PieceKind = 'article' | 'post'

/** A piece as connectors send it: made of the approved bytes, and of nothing else. */
export interface OutgoingPiece extends ArticleText, PostText {
  /** Of an article: the assets that its HTML shows; their references stand where `showPictures` puts addresses. */
  media: PostText['media']
  /** ULID of the intent: the same at every attempt, and of no other post. */
  key: string
  /** When the intent was made; the same at every attempt. */
  madeAt: Date
  /** For an address; letters and digits in words joined by `-`. */
  slug: string
}

/** Texts up to this length are worked on at once: a thread would take longer. */
const shortText = 10_000
/** No platform takes a post as long as this, whatever it counts. */
export const longestPost = 100_000

/** A text in Markdown as a website shows it. */
export async function articleOf(ctx: Ctx, text: string): Promise<ArticleText> {
  if (text.length > shortText) return inThread(ctx, 'article', text)
  const { toArticle } = await import('./article.ts')
  return toArticle(text)
}

/** An article in the form that a channel takes, with its links tagged. */
export function articleFor(
  ctx: Ctx,
  text: string,
  linkTags: LinkTags | null,
  { asMail }: Pick<Capabilities, 'asMail'>,
): Promise<ArticleText> {
  const tagged = linkTags ? tagLinks(text, linkTags) : text
  return asMail ? letterOf(ctx, tagged) : articleOf(ctx, tagged)
}

/** A newsletter as HTML: its title is the subject, and its preview comes first, where inboxes look for it and readers do not. */
export async function letterOf(ctx: Ctx, markdown: string): Promise<ArticleText> {
  const { subject, preview, body } = newsletterOf(markdown)
  const article = await articleOf(ctx, body)
  const hidden = preview === '' ? '' : `<div style="display:none">${escapeHtml(preview)}</div>\n`
  return { ...article, title: subject, html: `${hidden}${article.html}`, excerpt: preview }
}

/**
 * Makes a piece of a text, in the form that a channel takes. Links are tagged where there is room for that.
 * @throws PlatformError `validation` when the channel cannot take it
 */
export async function makePiece(
  ctx: Ctx,
  text: string,
  { slug, linkTags, assets, ...about }: PieceFacts,
  capabilities: Capabilities,
): Promise<OutgoingPiece> {
  if (capabilities.takes === 'article') {
    const article = await articleFor(ctx, text, linkTags, capabilities)
    const media = withAssets(picturesIn(article.html), assets)
    requireNone(pictureProblems(media, capabilities.media, assets))
    return { ...about, ...article, slug: slug ?? article.titleSlug, text: '', media }
  }
  if (text.length > longestPost) throw tooLong(text.length, { max: longestPost, unit: 'characters' })
  const post = postOf(text, linkTags, capabilities)
  const media = withAssets(post.media, assets)
  requireNone([...problemsOf(post, capabilities), ...pictureProblems(media, capabilities.media, assets)])
  return { ...about, ...noArticle, ...post, media, slug: slug ?? '' }
}

/** What is known of a piece beside its text. */
interface PieceFacts {
  key: string
  madeAt: Date
  slug: string | null
  linkTags: LinkTags | null
  assets: TextAssets
}

/** A post whose links say where readers come from, unless it has no room for that: what people have approved goes first. */
export function postOf(
  text: string,
  linkTags: LinkTags | null,
  capabilities: Pick<Capabilities, 'text' | 'media'>,
): PostText {
  const tagged = linkTags && toPost(tagLinks(text, linkTags))
  return tagged && problemsOf(tagged, capabilities).length === 0 ? tagged : toPost(text)
}

const noArticle: ArticleText = { title: '', titleSlug: '', html: '', excerpt: '' }

function requireNone([problem]: readonly string[]): void {
  if (problem !== undefined) throw new PlatformError('validation', problem)
}

/** Why a channel cannot take a post, in words; empty when it can. */
export function problemsOf(
  { text, media }: PostText,
  { text: limits, media: { min, max } }: Pick<Capabilities, 'text' | 'media'>,
): string[] {
  const tooLongIn = limits.flatMap(({ max: most, unit, count }) => {
    const length = count(text)
    return length > most ? [lengthWords(length, { max: most, unit })] : []
  })
  if (media.length < min)
    return [...tooLongIn, `This channel needs ${min === 1 ? 'a picture' : `${min} pictures`}`]
  if (media.length <= max) return tooLongIn
  const words =
    max === 0 ? 'This channel takes no pictures' : `This channel takes ${max} pictures, not ${media.length}`
  return [...tooLongIn, words]
}

const lengthWords = (length: number, { max, unit }: { max: number; unit: string }) =>
  `The text has ${length} ${unit}, and this channel takes ${max}`

function tooLong(length: number, limit: { max: number; unit: string }): PlatformError {
  return new PlatformError('validation', lengthWords(length, limit))
}

declare module '../../../kernel/in-thread.ts' {
  interface TextTasks {
    article(markdown: string): ArticleText
  }
}
