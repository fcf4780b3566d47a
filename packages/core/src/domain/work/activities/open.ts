import type { Transaction } from '../../../kernel/context.ts'
import type { ApprovalType } from '../approvals/entities.ts'
import type { DeliverableType, StepType } from '../campaigns/entities.ts'
import type { WakeReason } from '../runs/entities.ts'
import { wake } from '../runs/queue/wake.ts'
import { Activity, type ActivityRow } from './entities.ts'
import { logActivity } from './state.ts'

export interface NewActivity {
  id: string
  tenantId: string
  campaignId?: string | null
  deliverableId?: string | null
  deliverableType?: DeliverableType | null
  periodId?: string | null
  piece?: number | null
  stepNumber?: number | null
  isFinalStep?: boolean
  title: string
  type: StepType
  agentRole?: string | null
  assigneeUserId?: string | null
  parentActivityId?: string | null
  /** Asked for by a person: it may run before its campaign is active. */
  beforeStart?: boolean
  blocksParent?: boolean
  depth?: number
  dependsOn?: string[]
  priority?: number
  inputPrompt: string
  approvalRequired?: boolean
  approvalType?: ApprovalType | null
  /** Why the agent is woken when nothing has to be done first. Default `new_task`. */
  wakeReason?: WakeReason
}

/**
 * Creates activities and wakes the agents of those that depend on nothing. The others stay `created` until what they
 * depend on is done.
 */
export async function openActivities(
  txn: Transaction,
  items: readonly NewActivity[],
): Promise<ActivityRow[]> {
  const now = txn.clock.date()
  const opened: ActivityRow[] = []
  for (const item of items) {
    const { wakeReason = 'new_task', ...fields } = item
    const activity = txn.em.create(Activity, {
      campaignId: null,
      deliverableId: null,
      deliverableType: null,
      periodId: null,
      piece: null,
      stepNumber: null,
      isFinalStep: false,
      agentRole: null,
      assigneeUserId: null,
      parentActivityId: null,
      beforeStart: false,
      blocksParent: false,
      depth: 0,
      dependsOn: [],
      priority: 0,
      approvalRequired: false,
      approvalType: null,
      ...fields,
      status: 'created',
      statusSince: now,
      wakeReason: null,
      hold: null,
      blocker: null,
      failureReason: null,
      failures: 0,
      idleRuns: 0,
      costMicros: 0,
      startedAt: null,
      completedAt: null,
      createdOn: now,
      updatedOn: now,
    })
    logActivity(txn, activity, { kind: 'status', message: 'Created', data: { to: 'created' } })
    opened.push(activity)
    if (activity.dependsOn.length === 0) await wake(txn, activity, { reason: wakeReason })
  }
  return opened
}
