import type { Transaction } from '../../../kernel/context.ts'
import type { ActivityRow } from '../../work/activities/entities.ts'
import { titleOf } from '../../work/content/blog/markdown.ts'
import type { OutputRow } from '../../work/content/entities.ts'
import { noChange, planNewerText } from './change/plan.ts'
import type { PublicationRow } from './entities.ts'
import { lookAt } from './lock.ts'
import { isHeldForText, isKnownOut } from './policy.ts'
import { rested } from './settle.ts'

/** Lets an intent go on, at its time or at once when that is over. */
export function goOn(txn: Transaction, publication: PublicationRow, changes: Partial<PublicationRow>): void {
  Object.assign(publication, rested, { status: 'scheduled', checks: 0 }, changes)
  const now = txn.clock.date()
  lookAt(txn, publication, publication.scheduledFor > now ? publication.scheduledFor : now)
}

/** Takes a text into an intent; of what was prepared for another only the post itself is gone on with. */
export function withText(
  { services }: Transaction,
  { channelType, contentHash, progress }: PublicationRow,
  output: OutputRow,
): Partial<PublicationRow> {
  const taken = { title: titleOf(output.text), outputId: output.id, contentHash: output.sha256, ...noChange }
  if (output.sha256 === contentHash) return taken
  const { lasting = [] } = services.connectors.get(channelType) ?? {}
  const kept = Object.entries(progress).filter(([name]) => lasting.includes(name))
  return { ...taken, progress: Object.fromEntries(kept) }
}

/**
 * What a verdict on a newer text means for an intent: one that still waits takes it, and one that is out, or may be, is to be changed.
 * The caller holds the activity's lock.
 */
export async function renewText(
  txn: Transaction,
  activity: ActivityRow,
  publication: PublicationRow,
  output: OutputRow,
): Promise<void> {
  const { status, touched, contentHash, holdReason } = publication
  const waits = status === 'scheduled' || status === 'held' || status === 'failed'
  if (!waits || touched || isKnownOut(txn, publication))
    return planNewerText(txn, activity, publication, output)
  const isOfText = isHeldForText(holdReason)
  if (contentHash === output.sha256 && !isOfText) return
  if (status === 'held' && !isOfText)
    return void Object.assign(publication, withText(txn, publication, output))
  goOn(txn, publication, withText(txn, publication, output))
}
