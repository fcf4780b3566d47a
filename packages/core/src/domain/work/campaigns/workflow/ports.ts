import type { Ctx } from '../../../../kernel/context.ts'

/** What became of the pieces of one campaign that are out, until now. Null is what no platform and no source has counted. */
export interface CampaignReach {
  /** Reactions, comments and shares of its posts. */
  engagements: number | null
  /** Mails of lists on whose platforms clicks are counted, and the people who clicked in one. */
  mails: number | null
  mailClicks: number | null
  /** Clicks on its pages in results of searches. */
  searchClicks: number | null
}

/** What delivery knows of campaigns; it joins in from above. */
export interface CampaignOutcomes {
  /** @returns by campaign; those of which nothing is known are left out */
  reachOf(ctx: Ctx, campaignIds: readonly string[]): Promise<ReadonlyMap<string, CampaignReach>>
}

declare module '../../../../kernel/services.ts' {
  interface Services {
    campaignOutcomes: CampaignOutcomes
  }
}
