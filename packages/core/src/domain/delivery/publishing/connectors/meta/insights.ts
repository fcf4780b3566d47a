import { z } from 'zod'
import type { PlatformCall } from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import type { FigureName, PostFigures } from '../../metrics/figures.ts'
import { bearerOf, requestAs } from '../requests.ts'
import { graphUrl } from './graph.ts'

/** A number, or one for each kind of reaction. */
const Value = z.union([z.number(), z.record(z.string(), z.number())])
const Insights = z.object({
  data: z.array(z.object({ values: z.array(z.object({ value: Value })).min(1) })),
})

type Insight = readonly [FigureName, string]

/** What the Graph API counts of a post on a page. */
export const facebookInsights: readonly Insight[] = [
  ['impressions', 'post_media_view'],
  ['reach', 'post_total_media_view_unique'],
  ['clicks', 'post_clicks'],
  ['reactions', 'post_reactions_by_type_total'],
]

/** And of one at Instagram. */
export const instagramInsights: readonly Insight[] = [
  ['impressions', 'views'],
  ['reach', 'reach'],
  ['reactions', 'likes'],
  ['comments', 'comments'],
  ['shares', 'shares'],
]

/**
 * Reads the totals of a post. One request for each: a name that the version does not know fails the whole request.
 * @throws PlatformError for all that is no refusal of the one figure
 */
export async function readInsights(
  call: PlatformCall,
  id: string,
  insights: readonly Insight[],
  headers = bearerOf(call),
): Promise<PostFigures> {
  const figures: PostFigures = {}
  for (const [name, metric] of insights) {
    const url = graphUrl(call, `${encodeURIComponent(id)}/insights`, { metric })
    try {
      const { data } = await requestAs(call, { url, headers, effect: 'read' }, Insights)
      const value = data[0]?.values.at(-1)?.value
      if (value !== undefined) figures[name] = sumOf(value)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'validation') throw error
    }
  }
  return figures
}

const sumOf = (value: z.output<typeof Value>): number =>
  typeof value === 'number' ? value : Object.values(value).reduce((sum, one) => sum + one, 0)
