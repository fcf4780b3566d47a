/** What a web page says about itself. */
export interface HtmlHead {
  title: string | null
  language: string | null
  /** The address that the page wants to be known by, where it names one. */
  canonical: string | null
  /** Where the page links to, without fragments, each once; links that are not to be followed are left out. */
  links: string[]
  /** Whether the page may be indexed, and its links be followed: `<meta name="robots">`. */
  index: boolean
  follow: boolean
}

const mostLinks = 10_000
const longestLink = 2_048

/** Gathers the head of a page, and its links, from its tags as they come. */
export function createHtmlHead(url: string | undefined) {
  const links = new Set<string>()
  let language: string | null = null
  let base = url
  let canonical: string | null = null
  let index = true
  let follow = true
  let title: string | undefined
  let sharedTitle: string | undefined
  let inTitle = false

  const meta = ({ name = '', property = name, content = '' }: Record<string, string>) => {
    if (property.toLowerCase() === 'og:title') sharedTitle ??= content
    if (name.toLowerCase() !== 'robots') return
    const rules = content.toLowerCase().split(/[\s,]+/)
    if (rules.includes('noindex') || rules.includes('none')) index = false
    if (rules.includes('nofollow') || rules.includes('none')) follow = false
  }

  return {
    open(tag: string, attributes: Record<string, string>) {
      const { href, lang, rel = '' } = attributes
      if (tag === 'html') language = (lang ?? attributes['xml:lang'])?.trim() || null
      if (tag === 'base') base = absolute(href, url) ?? base
      if (tag === 'meta') meta(attributes)
      if (tag === 'title') inTitle = title === undefined
      if (tag === 'link' && /\bcanonical\b/i.test(rel)) canonical ??= absolute(href, base) ?? null
      if (tag !== 'a' || links.size >= mostLinks || /\bnofollow\b/i.test(rel)) return
      const link = absolute(href, base)
      if (link) links.add(link)
    },
    text(text: string) {
      if (inTitle) title = (title ?? '') + text
    },
    close(tag: string) {
      if (tag === 'title') inTitle = false
    },
    end(): HtmlHead {
      const shown = (title?.trim() || sharedTitle?.trim())?.replace(/\s+/g, ' ')
      return { title: shown || null, language, canonical, links: [...links], index, follow }
    },
  }
}

/** An address of the web, without its fragment; undefined for what is none. */
function absolute(href: string | undefined, base: string | undefined): string | undefined {
  if (href === undefined || href.length > longestLink) return undefined
  const url = URL.parse(href.trim(), base)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  url.hash = ''
  return url.href
}
