import type { TenantAgents, TenantDatasets } from '../domain/accounts/tenants/ports.ts'
import { provisionAgents } from '../domain/agents/configuration/provision.ts'
import { pauseAgents, resumeAgents } from '../domain/agents/configuration/status.ts'
import { adPlatforms } from '../domain/delivery/ads/platforms/platforms.ts'
import { takeOutreach } from '../domain/delivery/outreach/take.ts'
import { connectors } from '../domain/delivery/publishing/connectors/connectors.ts'
import { reachOfCampaigns } from '../domain/delivery/publishing/metrics/campaign-queries.ts'
import { takePiece } from '../domain/delivery/publishing/plan/take-piece.ts'
import { websiteSources } from '../domain/delivery/publishing/website/sources/sources.ts'
import { takeReviewMails } from '../domain/delivery/sequences/reviews.ts'
import { keepApproved } from '../domain/knowledge/agents/approved-pieces.ts'
import { readWebPage, searchForAgent } from '../domain/knowledge/agents/search.ts'
import { provisionDatasets } from '../domain/knowledge/datasets/provision.ts'
import { checkAgainstKnowledge } from '../domain/knowledge/facts/check.ts'
import type { Services } from '../kernel/services.ts'
import { mailKinds } from './mails.ts'

const tenantAgents: TenantAgents = { provision: provisionAgents, pause: pauseAgents, resume: resumeAgents }
const tenantDatasets: TenantDatasets = { provision: provisionDatasets }

/** What contexts of the domain do for those below them, which know only its types. */
export const joins = {
  mailKinds,
  connectors,
  adPlatforms,
  websiteSources,
  channelAuth: (type) => connectors.get(type)?.auth,
  isReadAtOnce: (type) => websiteSources.has(type),
  tenantAgents,
  tenantDatasets,
  tenantKnowledge: {
    search: searchForAgent,
    readPage: readWebPage,
    check: checkAgainstKnowledge,
    keepApproved,
  },
  campaignOutcomes: { reachOf: reachOfCampaigns },
  tenantPublishing: {
    async takePiece(...piece) {
      await takeReviewMails(...piece)
      await takeOutreach(...piece)
      await takePiece(...piece)
    },
  },
} satisfies Partial<Services>

/** The services that `joins` are. */
export type Joins = typeof joins
