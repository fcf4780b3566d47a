import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import type { MappingRow } from '../entities.ts'
import { lockMapping } from '../mapping.ts'
import type { AdPlatform, CampaignAddress } from '../platform.ts'
import { isOwn } from './policy.ts'
import { deleteOutsideBefore, keepOutside, ownSetsSince } from './queries.ts'

const dayMs = 86_400_000
/** How far back a platform is asked the first time, and for how long what it says is kept. */
const firstDays = 29
const keptDays = 90

/**
 * Asks a platform what was changed in a campaign, and keeps what no change set of ours has done. The last day is asked for again each time:
 * platforms tell things late.
 * @throws PlatformError where another try may do; a refusal for good leaves the figures of the campaign as they are
 */
export async function importOutside(
  ctx: Ctx,
  platform: AdPlatform,
  { call, mapping, address }: { call: PlatformCall; mapping: MappingRow; address: CampaignAddress },
): Promise<void> {
  if (!platform.events) return
  const now = ctx.clock.date()
  const first = now.getTime() - firstDays * dayMs
  const from = new Date(Math.max(first, (mapping.outsideSyncedAt?.getTime() ?? 0) - dayMs))
  const at = { ...address, currency: mapping.currency, timezone: mapping.timezone }
  try {
    const events = await platform.events(call, { ...at, budgetName: mapping.budgetName }, { from, to: now })
    const sets = await ownSetsSince(ctx, mapping, new Date(from.getTime() - dayMs))
    await transact(ctx, async (txn) => {
      const row = await lockMapping(txn, mapping.id)
      if (!row) return
      await keepOutside(
        txn,
        row,
        events.filter((event) => !isOwn(event, sets)),
      )
      await deleteOutsideBefore(txn, row.id, new Date(now.getTime() - keptDays * dayMs))
      row.outsideSyncedAt = now
    })
  } catch (error) {
    const isRefused =
      error instanceof PlatformError && (error.kind === 'policy' || error.kind === 'validation')
    if (!isRefused) throw error
    ctx.log.warn('a platform does not tell what was changed', {
      mappingId: mapping.id,
      message: error.message,
    })
  }
}
