import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { dayIn } from '../../../../kernel/periods.ts'
import { isSuspended, Tenant } from '../../../accounts/tenants/entities.ts'
import { openActivities } from '../../activities/open.ts'
import { lockCampaign } from '../../campaigns/change.ts'
import { Deliverable, Period } from '../../campaigns/entities.ts'
import { requestedPiece } from '../../campaigns/pieces.ts'
import { isTime, noteAssignee } from './decide.ts'
import { ContentRequest, RequestPiece, type RequestRow } from './entities.ts'
import { eligiblePeriod, nextExtraPiece } from './start-queries.ts'

/**
 * Handles `request.start` jobs: opens the activities of what was asked for, as extra pieces of the period of a campaign
 * that makes such pieces now. Where there is none, the request waits for the planning of the next period to call again.
 * It may be called at any time and twice.
 */
export async function startRequest(txn: Transaction, { requestId }: { requestId: string }): Promise<void> {
  const known = await txn.em.findOne(ContentRequest, { id: requestId })
  if (!known || !isDue(txn, known)) return
  const type = known.kind === 'blog' ? 'blog_post' : 'social_post'
  const tenant = await txn.em.findOneOrFail(Tenant, { id: known.tenantId })
  if (isSuspended(tenant.status)) return
  const today = dayIn(txn.clock.date(), tenant.timezone)
  const found = await eligiblePeriod(txn, tenant.id, { type, today })
  if (!found) return
  const campaign = await lockCampaign(txn, found.campaignId)
  const request = await txn.em.refreshOrFail(known, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // Someone may have been quicker with either.
  if (campaign.status !== 'active' || !isDue(txn, request)) return
  await start(txn, request, {
    deliverable: await txn.em.findOneOrFail(Deliverable, { id: found.deliverableId }),
    period: await txn.em.findOneOrFail(Period, { id: found.periodId }),
  })
}

function isDue(txn: Transaction, request: RequestRow): boolean {
  return request.status === 'approved' && request.assignee !== 'human' && isTime(txn, request)
}

type Place = Pick<Parameters<typeof requestedPiece>[1], 'deliverable' | 'period'>

/** One piece a network, or the one blog post. The caller holds the locks of the campaign and the request. */
async function start(txn: Transaction, request: RequestRow, { deliverable, period }: Place): Promise<void> {
  const { tenantId, topic, targetKeyword, brief, platforms } = request
  const first = await nextExtraPiece(txn, period)
  const wanted = platforms.length > 0 ? platforms : [null]
  for (const [at, platform] of wanted.entries()) {
    const piece = first + at
    const wish = { topic, targetKeyword, brief, platform }
    const steps = await requestedPiece(txn, { deliverable, period, piece, wish })
    const priority = request.priority === 'high' ? 10 : 0
    const final = steps.find(({ isFinalStep }) => isFinalStep)
    txn.em.create(RequestPiece, {
      id: txn.newId(),
      tenantId,
      requestId: request.id,
      periodId: period.id,
      piece,
      platform,
      activityId: final?.id ?? '',
      done: false,
      createdOn: txn.clock.date(),
    })
    await openActivities(
      txn,
      steps.map((step) => ({ ...step, priority })),
    )
  }
  const before = { status: request.status, assignee: request.assignee }
  request.status = 'in_production'
  request.dueDate = period.periodEnd
  if (request.kind === 'blog') request.blogPostId = txn.newId()
  if (request.assignee !== 'ai') noteAssignee(txn, request, 'ai')
  request.updatedOn = txn.clock.date()
  txn.audit({
    tenantId,
    resourceType: `${request.kind}_request`,
    resourceId: request.id,
    before,
    after: { status: request.status, assignee: request.assignee },
    action: `${request.kind}_request.start`,
  })
}
