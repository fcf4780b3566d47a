import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import type { PlatformError } from '../../accounts/channels/platform-error.ts'
import { accountKey } from './account-key.ts'
import { claimPublication } from './claim.ts'
import type { Published, Reconciled, StillWorking } from './connector.ts'
import type { PublicationRow } from './entities.ts'
import { noteLimits, waitOfRefusal } from './limits.ts'
import { lockConnection, lookAt } from './lock.ts'
import { held, type PublishingTurn, perform, type TurnOutcome } from './perform.ts'
import { mostChecks, waitMs } from './policy.ts'
import { askPerson, hold, settleFailure, settlePublished, waitForLimit } from './settle.ts'

/** One turn of an intent: the job `publish.turn`. Whatever it learns is written down under its attempt, or not at all. */
export async function publishTurn(
  ctx: Ctx,
  { publicationId }: { publicationId: string },
  signal: AbortSignal,
): Promise<void> {
  const turn = await claimPublication(ctx, publicationId)
  if (!turn) return
  const { connector, act } = turn
  const outcome = await perform<Published | StillWorking | Reconciled>(ctx, turn, signal, (call, piece) =>
    act === 'publish' ? connector.publish(call, piece) : connector.reconcile(call, piece),
  )
  await transact(ctx, async (txn) => {
    const publication = await held(txn, turn).catch(() => undefined)
    if (!publication)
      return ctx.log.warn('a turn of publishing ended after another had begun', { publicationId })
    await settle(txn, publication, turn, outcome)
  })
}

type Outcome = Published | Reconciled | TurnOutcome

async function settle(
  txn: Transaction,
  publication: PublicationRow,
  turn: PublishingTurn,
  outcome: Outcome,
): Promise<void> {
  const connection = await lockConnection(txn, publication.channelId)
  const failure = 'failure' in outcome ? outcome.failure : undefined
  if (connection) noteLimits(connection, turn.heard)
  const waitsUntil = waitOfRefusal(connection, failure, txn.clock.now())
  if (connection?.account) publication.accountKey ??= accountKey(connection.account)
  if (turn.act === 'publish' && failure) publication.touched = turn.inDoubt
  if (failure && waitsUntil) return waitForLimit(txn, publication, failure, waitsUntil)
  if ('failure' in outcome) return settleError(txn, publication, turn, outcome.failure)
  if ('choose' in outcome) return hold(txn, publication, 'account_choice')
  if ('againInS' in outcome) {
    publication.status = 'scheduled'
    return lookAt(txn, publication, new Date(txn.clock.now() + outcome.againInS * 1_000))
  }
  if (!('state' in outcome) || outcome.state === 'published')
    return settlePublished(txn, publication, outcome)
  if (outcome.state === 'cannot_tell') return askPerson(txn, publication, 'The platform cannot tell')
  if (outcome.state === 'unclear') return checkAgain(txn, publication, 'The platform does not show it')
  // It is not there: it goes out again, as if it had not been tried.
  Object.assign(publication, { status: 'scheduled', touched: false, checks: 0 })
  lookAt(txn, publication, txn.clock.date())
}

function settleError(
  txn: Transaction,
  publication: PublicationRow,
  { act }: PublishingTurn,
  failure: PlatformError,
): Promise<void> | void {
  if (failure.kind === 'auth') return hold(txn, publication, 'channel_disconnected')
  if (act === 'publish') return settleFailure(txn, publication, failure)
  return checkAgain(txn, publication, failure.message)
}

function checkAgain(txn: Transaction, publication: PublicationRow, why: string): Promise<void> | void {
  publication.checks += 1
  publication.error = why
  if (publication.checks >= mostChecks) return askPerson(txn, publication, why)
  lookAt(txn, publication, new Date(txn.clock.now() + waitMs(publication.checks)))
}
