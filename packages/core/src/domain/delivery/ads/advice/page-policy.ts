import { sha256Hex } from '../../../../platform/crypto/hash.ts'
import { money } from '../changes/policy.ts'
import type { PlatformPage } from '../platform.ts'
import type { AdAdvice } from './policy.ts'

/** What was wrong with a page, and when. */
export interface PageFault {
  url: string
  /** Such as `it answered 404`. */
  words: string
  /** ISO 8601. */
  at: string
}

/**
 * The pages that ads lead to, each once with what all its ads have cost, the dearest first: without what the platform fills in for each click,
 * and without what only a browser reads.
 */
export function pagesOf(ads: readonly PlatformPage[]): PlatformPage[] {
  const pages = new Map<string, number>()
  for (const { url, costMicros } of ads) {
    const plain = url.replace(/\{[^{}]{0,200}\}/g, '')
    if (!URL.canParse(plain)) continue
    const page = new URL(plain)
    page.hash = ''
    if (page.protocol !== 'https:' && page.protocol !== 'http:') continue
    pages.set(page.href, (pages.get(page.href) ?? 0) + costMicros)
  }
  return Array.from(pages, ([url, costMicros]) => ({ url, costMicros })).toSorted(
    (a, b) => b.costMicros - a.costMicros || a.url.localeCompare(b.url),
  )
}

/** What a recommendation about a page is told apart by: addresses are longer than that may be. */
export const pageSubject = (url: string): string => sha256Hex(url)

const longestTitle = 200

/** A recommendation that people follow by hand: nothing here changes a page, or the address of an ad. */
export function brokenPage(of: {
  /** The two answers in their order. */
  answers: readonly PageFault[]
  costMicros: number
  from: string
  to: string
  currency: string
}): AdAdvice {
  const { answers, costMicros, from, to, currency } = of
  const url = answers[0]?.url ?? ''
  const spent = money(costMicros, currency)
  const told = answers.map(({ words, at }) => `${words} on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`)
  return {
    kind: 'broken_page',
    subject: pageSubject(url),
    title: `Put ${url} right`.slice(0, longestTitle).toWellFormed(),
    rationale: `Enabled ads lead to ${url}: ${told.join(', and ')}. From ${from} to ${to} they have cost ${spent}.`,
    suggestedAction:
      'By hand: put the page right, or give its ads another address at the platform. Nothing is paused or changed from here.',
    estimatedImpact: `${spent} in thirty days for a page that people can see`,
    priority: costMicros > 0 ? 'high' : 'medium',
    changes: [],
  }
}
