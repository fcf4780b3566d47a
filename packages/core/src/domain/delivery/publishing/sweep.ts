import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import type { PublicationRow } from './entities.ts'
import { lockPublication, lookAt } from './lock.ts'
import { heldForChannel, overduePublications } from './queries.ts'
import { goOn } from './renew-text.ts'

/** How long after its time an intent counts as forgotten, milliseconds. */
const forgottenMs = 5 * 60_000

/** Looks at intents again whose job was lost: the job `publish.sweep`. */
export async function sweepPublications(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.clock.now() - forgottenMs)
  for (const id of await overduePublications(ctx, before))
    await transact(ctx, async (txn) => {
      const publication = await lockPublication(txn, id)
      if (publication.nextAt && publication.nextAt < before) lookAt(txn, publication, txn.clock.date())
    })
}

const waitsForChannel = ({ holdReason }: PublicationRow) =>
  holdReason === 'channel_disconnected' || holdReason === 'account_choice'

/** Lets go on what has waited for a channel: the job `channel.resume`. */
export async function resumePublications(ctx: Ctx, { channelId }: { channelId: string }): Promise<void> {
  for (const id of await heldForChannel(ctx, channelId))
    await transact(ctx, async (txn) => {
      const publication = await lockPublication(txn, id)
      if (publication.status === 'held' && waitsForChannel(publication)) goOn(txn, publication, {})
    })
}
