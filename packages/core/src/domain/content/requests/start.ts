import { LockMode } from '@mikro-orm/core'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { openActivities } from '../../activities/open.ts'
import { lockCampaign } from '../../campaigns/change.ts'
import { Deliverable, Period } from '../../campaigns/entities.ts'
import { dayIn } from '../../campaigns/periods.ts'
import { requestedPiece } from '../../campaigns/pieces.ts'
import { command } from '../../command.ts'
import type { Command, Ctx } from '../../context.ts'
import { isShut, Tenant } from '../../tenants/entities.ts'
import { noteAssignee } from './assign.ts'
import { ContentRequest, RequestPiece, type RequestRow } from './entities.ts'
import { eligiblePeriod, nextExtraPiece } from './start-queries.ts'
import { startJob } from './waiting.ts'

/**
 * Handles `request.start` jobs: opens the activities of what was asked for, as extra pieces of the period of a campaign
 * that makes such pieces now. Where there is none, the request waits for the planning of the next period to call again.
 * It may be called at any time and twice.
 * @param payload `{ requestId }`
 */
export async function startRequest(ctx: Ctx, payload: Record<string, unknown>): Promise<void> {
  const { requestId } = payload
  if (typeof requestId !== 'string') throw new Unretryable(`${startJob} needs { requestId }`)
  await command(ctx, async (cmd) => {
    const known = await cmd.em.findOne(ContentRequest, { id: requestId })
    if (!known || !isDue(cmd, known)) return
    const type = known.kind === 'blog' ? 'blog_post' : 'social_post'
    const tenant = await cmd.em.findOneOrFail(Tenant, { id: known.tenantId })
    if (isShut(tenant.status)) return
    const today = dayIn(cmd.clock.date(), tenant.timezone)
    const found = await eligiblePeriod(cmd, tenant.id, { type, today })
    if (!found) return
    const campaign = await lockCampaign(cmd, found.campaignId)
    const request = await cmd.em.refreshOrFail(known, { lockMode: LockMode.PESSIMISTIC_WRITE })
    // Somebody may have been quicker with either.
    if (campaign.status !== 'active' || !isDue(cmd, request)) return
    await start(cmd, request, {
      deliverable: await cmd.em.findOneOrFail(Deliverable, { id: found.deliverableId }),
      period: await cmd.em.findOneOrFail(Period, { id: found.periodId }),
    })
  })
}

function isDue(cmd: Command, { status, assignee, scheduleFor }: RequestRow): boolean {
  return (
    status === 'approved' && assignee !== 'human' && !(scheduleFor && scheduleFor.getTime() > cmd.clock.now())
  )
}

type Place = Pick<Parameters<typeof requestedPiece>[1], 'deliverable' | 'period'>

/** One piece a network, or the one blog post. The caller holds the locks of the campaign and the request. */
async function start(cmd: Command, request: RequestRow, { deliverable, period }: Place): Promise<void> {
  const { tenantId, topic, targetKeyword, brief, platforms } = request
  const first = await nextExtraPiece(cmd, period)
  const wanted = platforms.length > 0 ? platforms : [null]
  for (const [at, platform] of wanted.entries()) {
    const piece = first + at
    const wish = { topic, targetKeyword, brief, platform }
    const steps = await requestedPiece(cmd, { deliverable, period, piece, wish })
    const priority = request.priority === 'high' ? 10 : 0
    const final = steps.find(({ isFinalStep }) => isFinalStep)
    cmd.em.create(RequestPiece, {
      id: cmd.newId(),
      tenantId,
      requestId: request.id,
      periodId: period.id,
      piece,
      platform,
      activityId: final?.id ?? '',
      done: false,
      createdOn: cmd.clock.date(),
    })
    await openActivities(
      cmd,
      steps.map((step) => ({ ...step, priority })),
    )
  }
  const before = { status: request.status, assignee: request.assignee }
  request.status = 'in_production'
  request.dueDate = period.periodEnd
  if (request.kind === 'blog') request.blogPostId = cmd.newId()
  if (request.assignee !== 'ai') noteAssignee(cmd, request, 'ai')
  request.updatedOn = cmd.clock.date()
  cmd.audit({
    tenantId,
    resourceType: `${request.kind}_request`,
    resourceId: request.id,
    before,
    after: { status: request.status, assignee: request.assignee },
    action: `${request.kind}_request.start`,
  })
}
