import { createHash } from 'node:crypto'
import { decodeHtml } from './decode-html.ts'
import { parseRobotsTags, robotsToken } from './robots-tags.ts'
import { scanTags } from './tags.ts'
import { normalizeUrl } from './urls.ts'

/** What a crawl needs to know of a page. */
export interface PageScan {
  html: string
  /** SHA-256 of the bytes, in hex. */
  hash: string
  title: string | undefined
  language: string | undefined
  /** Normalized. */
  canonical: string | undefined
  noindex: boolean
  nofollow: boolean
  /** Normalized, each once, without those that are marked `nofollow`. */
  links: string[]
  /** What is shown of it, title and navigation included; its first {@link longestText} characters. */
  text: string
}

/** Further links of a page are not followed. */
const mostLinks = 5_000
const longestTitle = 300
/** Characters. */
export const longestText = 20_000

/** What stands in them is not shown. */
const hidden = new Set(['script', 'style', 'template'])
const elements = new Set(['html', 'base', 'title', 'meta', 'link', 'a', 'area', ...hidden])

/** Reads a page once. @param input its bytes, its Content-Type and the address that it came from */
export function scanPage(input: { bytes: Uint8Array; contentType: string; url: string }): PageScan {
  const html = decodeHtml(input.bytes, input.contentType)
  const links = new Set<string>()
  const robots = { noindex: false, nofollow: false }
  let base: string | undefined
  let title: string | undefined
  let language: string | undefined
  let canonical: string | undefined
  let inTitle = false
  let inHidden: string | undefined
  let shown = ''
  let seen = 0

  const resolve = (href: string | undefined) =>
    href === undefined ? undefined : normalizeUrl(href.trim(), base ?? input.url)
  const follow = (href: string | undefined): void => {
    seen += 1
    const url = resolve(href)
    if (url !== undefined) links.add(url)
  }
  const onMeta = (attributes: ReadonlyMap<string, string>): void => {
    const content = attributes.get('content') ?? ''
    const name = attributes.get('name')?.trim().toLowerCase()
    if (name === 'robots' || name === robotsToken.toLowerCase()) {
      const { noindex, nofollow } = parseRobotsTags(content)
      robots.noindex ||= noindex
      robots.nofollow ||= nofollow
    }
    if (attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh') {
      const [, target] = /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content) ?? []
      if (target !== undefined) follow(target)
    }
  }

  scanTags(
    html,
    'html',
    {
      elements,
      onOpen(name, attributes) {
        const href = attributes.get('href')
        if (name === 'html') language ??= attributes.get('lang')?.trim().slice(0, 35) || undefined
        if (name === 'base' && base === undefined && href !== undefined && URL.canParse(href, input.url))
          base = new URL(href, input.url).href
        if (name === 'title') inTitle = title === undefined
        if (hidden.has(name)) inHidden ??= name
        if (name === 'meta') onMeta(attributes)
        const rel = new Set(attributes.get('rel')?.toLowerCase().split(/\s+/))
        if (name === 'link' && rel.has('canonical')) canonical ??= resolve(href)
        if ((name === 'a' || name === 'area') && href !== undefined && !rel.has('nofollow')) follow(href)
      },
      onClose(name) {
        if (name === 'title') inTitle = false
        if (name === inHidden) inHidden = undefined
      },
      onText(text) {
        if (inHidden === undefined && shown.length < longestText)
          shown += `${text} `.slice(0, longestText - shown.length)
        if (inTitle && (title?.length ?? 0) < longestTitle)
          title = (title ?? '') + text.slice(0, longestTitle)
      },
    },
    () => seen >= mostLinks,
  )
  const hash = createHash('sha256').update(input.bytes).digest('hex')
  title = title?.replace(/\s+/g, ' ').trim().slice(0, longestTitle) || undefined
  return { html, hash, title, language, canonical, ...robots, links: [...links], text: shown }
}
