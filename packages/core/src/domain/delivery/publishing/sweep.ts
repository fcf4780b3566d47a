import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { resumeChange } from './change/plan.ts'
import type { HoldReason } from './entities.ts'
import { lockPublication, lookAt, lookAtChange } from './lock.ts'
import { heldForChannel, overduePublications } from './queries.ts'
import { goOn } from './renew-text.ts'

/** How long after its time an intent counts as forgotten, milliseconds. */
const forgottenMs = 5 * 60_000

/** Looks at intents again whose job was lost, and at changes: the job `publish.sweep`. */
export async function sweepPublications(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.now() - forgottenMs)
  for (const id of await overduePublications(ctx, before))
    await transact(ctx, async (txn) => {
      const publication = await lockPublication(txn, id)
      const { nextAt, changeNextAt } = publication
      if (nextAt && nextAt < before) lookAt(txn, publication, txn.clock.date())
      if (changeNextAt && changeNextAt < before) lookAtChange(txn, publication, txn.clock.date())
    })
}

const waitsForChannel = (reason: HoldReason | null) =>
  reason === 'channel_disconnected' || reason === 'account_choice'

/** Lets go on what has waited for a channel: the job `channel.resume`. */
export async function resumePublications(ctx: Ctx, { channelId }: { channelId: string }): Promise<void> {
  for (const id of await heldForChannel(ctx, channelId))
    await transact(ctx, async (txn) => {
      const publication = await lockPublication(txn, id)
      const { status, holdReason, changeStatus, changeHoldReason } = publication
      if (status === 'held' && waitsForChannel(holdReason)) goOn(txn, publication, {})
      if (changeStatus === 'held' && waitsForChannel(changeHoldReason)) resumeChange(txn, publication)
    })
}
