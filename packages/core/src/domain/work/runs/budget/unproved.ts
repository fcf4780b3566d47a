import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { Activity, type ActivityRow, type Blocker } from '../../activities/entities.ts'
import { lockActivity } from '../../activities/state.ts'
import type { RunRow } from '../entities.ts'
import { blockUnstarted } from '../lifecycle/end.ts'
import { wake } from '../queue/wake.ts'

/** How many blocked activities are looked at together. */
const batch = 100

const type = 'mailbox_unproved'

const blocker: Blocker = {
  type,
  description: 'Work begins once an admin has confirmed the e-mail address of the account.',
  resolution:
    'Log in and open the link of the mail “Confirm your address”, or choose a new password by “forgot password”: either confirms the address, and the work starts by itself.',
}

/**
 * True while no one has proved the mailbox of a registered tenant's admin: none of its runs starts. The tenant's row stays locked
 * then, so that the proof, which comes after, finds what was blocked here.
 */
export async function awaitsProof(txn: Transaction, tenantId: string): Promise<boolean> {
  const { awaitsProof: waits } = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  if (!waits) return false
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  return (await txn.em.findOneOrFail(Tenant, { id: tenantId }, lock)).awaitsProof
}

/** Blocks an activity until the proof. No mail tells of each one: the mail that asks for the proof does. */
export function blockForProof(txn: Transaction, run: RunRow, activity: ActivityRow): undefined {
  blockUnstarted(txn, run, activity, blocker)
}

/**
 * Gives everything to its agent again that was blocked until the proof. Doing it again changes nothing. The job `tenant.release`.
 */
export async function releaseBlocked(ctx: Ctx, { tenantId }: { tenantId: string }): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await blockedAfter({ ...ctx, scope: [tenantId] }, after)
    for (const id of ids) await release({ ...ctx, scope: [tenantId] }, id)
    const last = ids.at(-1)
    if (last === undefined || ids.length < batch) return
    after = last
  }
}

function blockedAfter(ctx: Ctx, after: string): Promise<string[]> {
  return transact(ctx, async (txn) => {
    const found = await txn.em.find(
      Activity,
      { status: 'blocked', id: { $gt: after } },
      { fields: ['id'], orderBy: { id: 'asc' }, limit: batch },
    )
    return found.map(({ id }) => id)
  })
}

function release(ctx: Ctx, id: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, id)
    if (activity.status !== 'blocked' || activity.blocker?.type !== type) return
    await wake(txn, activity, { reason: 'unblocked' })
  })
}
