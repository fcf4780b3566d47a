import { toUsd } from '../../../../kernel/money.ts'
import type { Classification } from './entities.ts'
import type { termIntents } from './schemas.ts'

type Intent = (typeof termIntents)[number]

const intentsOf: Readonly<Record<Classification, Intent>> = {
  add_as_keyword: 'high_intent',
  irrelevant: 'low_intent',
  add_as_negative: 'negative',
  watch: 'watch',
}

export const intentOf = (classification: Classification | null): Intent | null =>
  classification && intentsOf[classification]

export const classificationOf = (intent: Intent): Classification =>
  (Object.keys(intentsOf) as Classification[]).find((one) => intentsOf[one] === intent) ?? 'watch'

/** What a term has brought on all days that are known. */
export interface TermSums {
  term: string
  impressions: number
  clicks: number
  costMicros: number
  conversionMicros: number
}

/** People who search with these want nothing for money, or something else. */
const cheapWords = new Set(
  'free gratis kostenlos gratuit jobs job career salary gehalt wiki wikipedia meaning definition diy recipe rezept pdf torrent used second-hand'.split(
    ' ',
  ),
)

/** As many clicks without a conversion prove something, and so does this share of clicks among many impressions. */
const enoughClicks = 10
const manyImpressions = 200
const leastCtr = 0.002

/**
 * Sorts a term by rules; a person decides on it afterwards. In this order: what converts becomes a keyword, unless it is one; words of
 * people who buy nothing, and money without a conversion, become negative; what nobody clicks is irrelevant; the rest is watched.
 * @param isKeyword the campaign has it as a keyword
 * @param costPerConversionMicros of the campaign; null where nothing has converted
 */
export function classify(
  { term, impressions, clicks, costMicros, conversionMicros }: TermSums,
  {
    isKeyword,
    costPerConversionMicros,
    currency,
  }: { isKeyword: boolean; costPerConversionMicros: number | null; currency: string },
): { classification: Classification; reason: string } {
  const spent = `${toUsd(costMicros).toFixed(2)} ${currency}`
  if (conversionMicros > 0) {
    const won = `${toUsd(conversionMicros)} conversions for ${spent}`
    return isKeyword
      ? { classification: 'watch', reason: `${won}; it is a keyword already` }
      : { classification: 'add_as_keyword', reason: won }
  }
  if (isKeyword) return { classification: 'watch', reason: 'It is a keyword of the campaign' }
  const cheap = term
    .toLowerCase()
    .split(/\s+/)
    .find((word) => cheapWords.has(word))
  if (cheap !== undefined)
    return { classification: 'add_as_negative', reason: `“${cheap}” without a conversion; ${spent} spent` }
  if (costPerConversionMicros !== null && costMicros >= costPerConversionMicros && clicks > 0)
    return {
      classification: 'add_as_negative',
      reason: `${spent} spent without a conversion; one costs ${toUsd(costPerConversionMicros).toFixed(2)} ${currency} in this campaign`,
    }
  if (clicks >= 2 * enoughClicks)
    return {
      classification: 'add_as_negative',
      reason: `${clicks} clicks without a conversion; ${spent} spent`,
    }
  if (impressions >= manyImpressions && clicks / impressions < leastCtr)
    return { classification: 'irrelevant', reason: `${clicks} clicks of ${impressions} impressions` }
  return { classification: 'watch', reason: `${clicks} clicks and ${spent} prove nothing yet` }
}
