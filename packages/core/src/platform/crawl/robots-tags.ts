/** The name by which robots.txt and robots tags address the crawler. */
export const robotsToken = 'Copydesk'

/** What a page asks of crawlers. */
export interface RobotsTags {
  noindex: boolean
  nofollow: boolean
}

/** Directives that have a value after a colon, as the name of a crawler has its directives. */
const withValue = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview'])

/**
 * Reads the value of `X-Robots-Tag` headers, joined by commas, or of a robots meta tag. Directives behind the name of another crawler
 * are that one's.
 */
export function parseRobotsTags(value: string): RobotsTags {
  const tags = { noindex: false, nofollow: false }
  let forUs = true
  for (const part of value.toLowerCase().split(',')) {
    const [, name = '', rest = ''] = /^\s*([\w-]+)\s*:(.*)$/.exec(part) ?? []
    const isName = name !== '' && !withValue.has(name)
    if (isName) forUs = name === robotsToken.toLowerCase()
    const directive = (isName ? rest : part).trim()
    if (!forUs) continue
    if (directive === 'noindex' || directive === 'none') tags.noindex = true
    if (directive === 'nofollow' || directive === 'none') tags.nofollow = true
  }
  return tags
}
