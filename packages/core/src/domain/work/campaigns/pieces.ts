import type { InferEntity } from '@mikro-orm/core'
import type { Transaction } from '../../../kernel/context.ts'
import type { NewActivity } from '../activities/open.ts'
import type { Deliverable, Period, TemplateStep } from './entities.ts'
import { platformsOf } from './policy.ts'
import { stepPrompt, stepTitle, type Wish } from './prompts.ts'
import { stepsFor } from './templates.ts'

/**
 * The activities of the next missing pieces of a period, whole pieces only.
 * @param plan `batch`: about how many activities; at least one piece is given
 */
export async function newPieces(
  txn: Transaction,
  plan: {
    deliverable: InferEntity<typeof Deliverable>
    period: InferEntity<typeof Period>
    missing: readonly number[]
    batch: number
  },
): Promise<NewActivity[]> {
  const { deliverable, period, missing, batch } = plan
  const steps = await stepsOf(txn, deliverable)
  const count = Math.max(1, Math.floor(batch / steps.length))
  return missing.slice(0, count).flatMap((piece) => stepsOfPiece(txn, { deliverable, period, piece, steps }))
}

/** The activities of one piece that someone has asked for, made as the deliverable's others are. */
export async function requestedPiece(txn: Transaction, of: Omit<Piece, 'steps'> & { wish: Wish }) {
  return stepsOfPiece(txn, { ...of, steps: await stepsOf(txn, of.deliverable) })
}

async function stepsOf(
  txn: Transaction,
  deliverable: Piece['deliverable'],
): Promise<readonly TemplateStep[]> {
  const steps = await stepsFor(txn, deliverable)
  if (steps.length === 0) throw new Error(`The template of deliverable ${deliverable.id} has no steps`)
  return steps
}

interface Piece {
  deliverable: InferEntity<typeof Deliverable>
  period: InferEntity<typeof Period>
  piece: number
  steps: readonly TemplateStep[]
  wish?: Wish
}

function stepsOfPiece(txn: Transaction, of: Piece): NewActivity[] {
  const { deliverable, period, piece, wish } = of
  const steps = of.steps.toSorted((a, b) => a.stepNumber - b.stepNumber)
  const ids = new Map(steps.map((step) => [step.stepNumber, txn.newId()]))
  const platforms = platformsOf(wish?.platform ? [wish.platform] : deliverable.platformIds)
  return steps.map((step, index) => {
    const isFinal = index === steps.length - 1
    const { type } = deliverable
    // No one publishes what people have not read.
    const goesOut = type === 'blog_post' || Boolean(wish?.platform)
    const approvalRequired = step.approvalRequired || (isFinal && goesOut)
    const about = { type, piece, quantity: period.target, platforms, period, step, isFinal, wish }
    return {
      id: ids.get(step.stepNumber) as string,
      tenantId: deliverable.tenantId,
      campaignId: deliverable.campaignId,
      deliverableId: deliverable.id,
      deliverableType: type,
      periodId: period.id,
      piece,
      stepNumber: step.stepNumber,
      isFinalStep: isFinal,
      title: stepTitle(about),
      type: step.type,
      agentRole: step.agentRole,
      dependsOn: (step.dependsOn ?? []).flatMap((number) => ids.get(number) ?? []),
      inputPrompt: stepPrompt(about),
      approvalRequired,
      approvalType: approvalRequired ? (step.approvalType ?? 'content_review') : null,
    }
  })
}
