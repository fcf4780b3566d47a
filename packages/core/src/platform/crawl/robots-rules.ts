import { robotsToken } from './robots-tags.ts'

/** What robots.txt says to the crawler. */
export interface RobotsRules {
  /** @param path of an address, with its query */
  allows(path: string): boolean
  /** Seconds between two requests. */
  crawlDelay: number | undefined
  /** As they are written. */
  sitemaps: string[]
}

interface PathRule {
  allow: boolean
  /** The longest one that fits decides. */
  length: number
  /** What stands between the stars. */
  parts: string[]
  atEnd: boolean
}

interface Group {
  rules: PathRule[]
  /** How many of the rules have to be looked for in the whole path. */
  searches: number
  crawlDelay: number | undefined
}

const mostSearches = 1_000
const mostSitemaps = 50

/**
 * Reads robots.txt by RFC 9309: the groups for {@link robotsToken}, or else those for everyone; the longest rule that fits decides,
 * and of two that are equally long the one that allows. What the registry has for this searches one address for seconds where a
 * hostile file makes it.
 */
export function parseRobots(text: string): RobotsRules {
  const own = emptyGroup()
  const everyone = emptyGroup()
  const sitemaps: string[] = []
  let isNamed = false
  let current = new Set<Group>()
  let naming = false
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':')
    const field = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    const value =
      line
        .slice(colon + 1)
        .split('#', 1)[0]
        ?.trim() ?? ''
    if (field === 'user-agent') {
      if (!naming) current = new Set()
      naming = true
      if (value === '*') current.add(everyone)
      if (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() !== robotsToken.toLowerCase()) continue
      isNamed = true
      current.add(own)
    } else if (field === 'allow' || field === 'disallow') {
      naming = false
      for (const group of current) addRule(group, field === 'allow', value)
    } else if (field === 'crawl-delay') {
      naming = false
      const seconds = value === '' ? Number.NaN : Number(value)
      for (const group of current) if (seconds >= 0) group.crawlDelay ??= seconds
    } else if (field === 'sitemap' && value !== '' && sitemaps.length < mostSitemaps) sitemaps.push(value)
  }
  const { rules, crawlDelay } = isNamed ? own : everyone
  return { allows: (path) => decide(rules, plainEscapes(path)), crawlDelay, sitemaps }
}

const emptyGroup = (): Group => ({ rules: [], searches: 0, crawlDelay: undefined })

function addRule(group: Group, allow: boolean, value: string): void {
  if (value === '') return
  const pattern = plainEscapes(encodeURI(value.toWellFormed()).replace(/%25/g, '%'))
  const { length } = pattern
  const atEnd = pattern.endsWith('$')
  // A star at the end means what its absence means.
  const parts = (atEnd ? pattern.slice(0, -1) : pattern.replace(/\*+$/, '')).split(/\*+/)
  if (parts.length > 1) group.searches += 1
  if (parts.length === 1 || group.searches <= mostSearches) group.rules.push({ allow, length, parts, atEnd })
  // Beyond that a rule forbids more than it says, never less.
  else if (!allow) group.rules.push({ allow, length, parts: parts.slice(0, 1), atEnd: false })
}

function decide(rules: readonly PathRule[], path: string): boolean {
  let best: PathRule | undefined
  for (const rule of rules) {
    if (best && (rule.length < best.length || (rule.length === best.length && !rule.allow))) continue
    if (fits(rule, path)) best = rule
  }
  return best?.allow ?? true
}

function fits({ parts, atEnd }: PathRule, path: string): boolean {
  const [first = '', ...rest] = parts
  if (!path.startsWith(first)) return false
  if (rest.length === 0) return !atEnd || path === first
  const last = atEnd ? (rest.pop() ?? '') : ''
  let at = first.length
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return path.endsWith(last) && path.length - last.length >= at
}

/** One form for what can be written in two: escapes of plain characters are undone, others are in capital letters. */
function plainEscapes(path: string): string {
  return path.replace(/%([0-9a-f]{2})/gi, (escape: string, hex: string) => {
    const char = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(char) ? char : escape.toUpperCase()
  })
}
