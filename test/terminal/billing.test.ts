import { describe, expect, it } from 'vitest'
import { createInvoice } from '../../packages/core/src/domain/accounts/billing/invoices/invoices.ts'
import { choosePlan } from '../../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  activateSubscription,
  openSubscription,
} from '../../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import { parts } from '../domain/agents.ts'
import { createOperator } from '../kit/operator.ts'
import { createStaffTerminal, type StaffTerminal } from '../kit/staff-terminal.ts'
import { sit } from './logged-in.ts'
import { createStaff } from './staff.ts'

/** An open invoice over the plan `pro` for a tenant. */
async function owe({ app }: StaffTerminal, tenantId: string): Promise<void> {
  await using inside = await parts(app)
  await transact(inside.system(), async (txn) => {
    const choice = await choosePlan(txn, { name: 'pro', region: 'US' })
    const subscription = await openSubscription(txn, { tenantId, choice })
    await activateSubscription(txn, tenantId)
    await createInvoice(txn, subscription)
  })
}

const day = 86_400_000

describe('billing: cli.invoices.mark_paid', () => {
  it('shows super-admins what is overdue, and marks an invoice as paid after a confirmation', async () => {
    await using harness = await createStaffTerminal()
    const { app, hearth, anvil } = harness
    await owe(harness, hearth.tenantId)
    // The terminal has a clock of its own.
    await app.db.write((tx) => tx.run('update invoices set due_date = ?', [new Date(Date.now() - 3 * day)]))
    await owe(harness, anvil.tenantId)
    const operator = await createOperator(app)
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId: operator.id, name: 'Terminal' })
    const terminal = await harness.terminal({ env: { COPYDESK_API_KEY: key }, columns: 80, rows: 24 })
    terminal.press('8')
    await terminal.shows(/INV-\d{4}-000001 +Hearth & Oat +\$99\.00 +overdue/)
    await terminal.shows(/INV-\d{4}-000002 +Anvil +\$99\.00 +pending/)
    await terminal.shows('pending $198.00')
    terminal.press('enter')
    await terminal.shows(/Plan pro, monthly +\$99\.00/)
    terminal.press('m')
    await terminal.shows('Reference of the payment?')
    terminal.press('transfer 4711')
    terminal.press('enter')
    await terminal.shows('copydesk api POST')
    terminal.press('n')
    expect(await app.db.sql.all(`select 1 from invoices where status = 'paid'`)).toEqual([])
    terminal.press('m')
    await terminal.shows('Reference of the payment?')
    terminal.press('enter')
    await terminal.shows(/Mark INV-\d{4}-000001 as paid\?/)
    terminal.press('y')
    await terminal.shows(/✔ INV-\d{4}-000001 is paid/)
    terminal.press('escape')
    await terminal.shows('[open]')
    terminal.press('tab')
    await terminal.shows(/INV-\d{4}-000001 +Hearth & Oat +\$99\.00 +paid/)
    terminal.press('tab')
    await terminal.shows('Nothing here.')
    expect(await app.db.sql.all(`select 1 from invoices where status = 'paid'`)).toHaveLength(1)
  })

  it('is not for reviewers', async () => {
    await using harness = await createStaffTerminal()
    const terminal = await harness.terminal()
    terminal.press('8')
    await terminal.shows('Billing is for super-admins.')
  })

  it('has no key for reviewers who are logged in', async () => {
    await using staff = await createStaff()
    await using terminal = await sit(staff, 'reviewer.1.tenant-1@test.example')
    terminal.press('?')
    await terminal.shows(/7 +knowledge/)
    expect(terminal.screen()).not.toMatch(/8 +billing/)
    terminal.press('escape', '8', '7')
    await terminal.shows(/datasets?/)
    expect(terminal.written()).not.toContain('Billing is for')
  })
})
