import { Marked } from 'marked'
import { isReference } from '../../media/references.ts'
import { metaDescriptionOf, slugOf, titleOf, withoutFrontMatter } from '../../work/content/blog/markdown.ts'

/** A text as a website shows it. */
export interface ArticleText {
  title: string
  /** Of the title, for an address. */
  titleSlug: string
  /** The text without its title, as HTML without scripts. */
  html: string
  /** The meta description; empty where there is none. */
  excerpt: string
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replace(/[&<>"]/g, (mark) => escapes[mark] as string)

/** Addresses that lead somewhere, and run nothing. */
const isPlainAddress = (href: string) => /^(?:https?:|mailto:|tel:|\/|#|[\w.-]+(?:[/?#]|$))/i.test(href)

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    // What people have approved is shown as they have read it: marks of HTML are text.
    html: ({ text }) => escape(text),
    link({ href, title, tokens }) {
      const words = this.parser.parseInline(tokens)
      if (!isPlainAddress(href)) return words
      return `<a href="${escape(href)}"${title ? ` title="${escape(title)}"` : ''}>${words}</a>`
    },
    image: ({ href, text }) =>
      isPlainAddress(href) || isReference(href)
        ? `<img src="${escape(href)}" alt="${escape(text)}">`
        : escape(text),
  },
})

/** A text in Markdown as a website shows it. A long one is work for a thread. */
export function toArticle(markdown: string): ArticleText {
  const title = titleOf(markdown)
  return {
    title,
    titleSlug: slugOf(title),
    html: (marked.parse(withoutFrontMatter(markdown)) as string).trim(),
    excerpt: metaDescriptionOf(markdown) ?? '',
  }
}
