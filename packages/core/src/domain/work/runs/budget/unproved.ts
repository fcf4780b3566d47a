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

/** What keeps every run of a tenant from starting. */
export type Hindrance = 'mailbox_unproved' | 'payment_overdue'

const blockers: Record<Hindrance, Blocker> = {
  mailbox_unproved: {
    type: 'mailbox_unproved',
    description: 'Work begins once an admin has confirmed the e-mail address of the account.',
    resolution:
      'Log in and open the link of the mail “Confirm your address”, or choose a new password by “forgot password”: either confirms the address, and the work starts by itself.',
  },
  payment_overdue: {
    type: 'payment_overdue',
    description: 'A payment is overdue: no agent runs until it is paid.',
    resolution: 'Pay the open invoice under Billing; the work starts by itself once the payment is here.',
  },
}

/**
 * What keeps the runs of a tenant from starting: a payment that is overdue, or that no one has proved the mailbox of an admin of a
 * registered tenant. The tenant's row stays locked then, so that the payment or the proof, which comes after, finds what was
 * blocked here.
 */
export async function heldBackBy(txn: Transaction, tenantId: string): Promise<Hindrance | undefined> {
  const tenant = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  if (!tenant.awaitsProof && !tenant.awaitsPayment) return undefined
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  return hindranceOf(await txn.em.findOneOrFail(Tenant, { id: tenantId }, lock))
}

function hindranceOf(tenant: { awaitsProof: boolean; awaitsPayment: boolean }): Hindrance | undefined {
  if (tenant.awaitsPayment) return 'payment_overdue'
  return tenant.awaitsProof ? 'mailbox_unproved' : undefined
}

/** Blocks an activity until that is over. No mail tells of each one: the mail that asks for the proof, or the payment, does. */
export function blockFor(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  hindrance: Hindrance,
): undefined {
  blockUnstarted(txn, run, activity, blockers[hindrance])
}

/**
 * Gives everything to its agent again that was blocked until the proof or the payment. Doing it again changes nothing. The job `tenant.release`.
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
    if (activity.status !== 'blocked' || !Object.hasOwn(blockers, activity.blocker?.type ?? '')) return
    // What still holds it back blocks it again, and says so.
    await wake(txn, activity, { reason: 'unblocked' })
  })
}
