import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { CampaignMapping } from '../entities.ts'
import { lockChangeSet, lookAtChanges } from './apply.ts'
import { overdueChangeSets } from './queries.ts'
import { settleChanges } from './settle.ts'

/** How long after its time a set counts as forgotten, milliseconds. */
const forgottenMs = 5 * 60_000
/** More turns than these end no set: the next one would not either. */
const mostTurns = 30

/**
 * Looks at change sets again whose job was lost or given up: the job `ads.sweep`. The turn that follows asks the platform what it has before
 * anything is sent. A set that no turn has ended keeps others of its account waiting, so that it ends here at last, and its items say that
 * nobody knows where something may have been done.
 */
export async function sweepChangeSets(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.now() - forgottenMs)
  for (const id of await overdueChangeSets(ctx, before))
    await transact(ctx, async (txn) => {
      const set = await lockChangeSet(txn, id)
      if (!set?.nextAt || set.nextAt >= before) return
      const mapping = await txn.em.findOne(CampaignMapping, { id: set.mappingId })
      if (!mapping || set.attempt < mostTurns) return lookAtChanges(txn, set, txn.clock.date())
      const message = `${mostTurns} attempts have not come to an end`
      const failure = { kind: 'validation' as const, message, isLost: set.touched }
      await settleChanges(txn, set, mapping, { items: set.items, failure }, lookAtChanges)
    })
}
