import { describe, it } from 'vitest'
import { createIds } from '../../packages/core/src/platform/clock.ts'
import { createStaffTerminal, type StaffTerminal } from '../kit/staff-terminal.ts'

/** A run with a cost, ended at the harness's current time. */
async function addRun({ app, clock }: StaffTerminal, tenantId: string, role: string, micros: number) {
  const id = createIds(clock)()
  const at = new Date(clock.now())
  await app.db.write((tx) =>
    tx.run(
      `insert into runs (id, tenant_id, activity_id, agent_role, status, open, wake_reason, wake_note, priority, not_before,
         attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, created_on)
       values (?, ?, ?, ?, 'completed', ?, 'new_task', '{}', 0, ?, 1, ?, 10, 5, ?, ?, ?)`,
      [id, tenantId, id, role, false, at, false, micros, true, at],
    ),
  )
}

describe('cost', () => {
  it('is shown by tenant, agent, model and campaign, with bars and the last days', async () => {
    await using harness = await createStaffTerminal()
    await addRun(harness, harness.hearth.tenantId, 'blog_writer', 3_000_000)
    await addRun(harness, harness.anvil.tenantId, 'analyst', 1_000_000)
    const terminal = await harness.terminal()
    terminal.press('5')
    await terminal.shows('$4.00 this month  by tenant')
    await terminal.shows(/› +Hearth & Oat +\$3\.00 +75\.0 +█{16} /)
    await terminal.shows(/Anvil +\$1\.00 +25\.0 +█{6} /)
    await terminal.shows(/\d{4}-\d\d-\d\d +\$4\.00 +█/)
    terminal.press('tab')
    await terminal.shows('by agent')
    await terminal.shows(/Blog writer +\$3\.00/)
    terminal.press('tab', 'tab')
    await terminal.shows('by campaign')
    await terminal.resize(40, 10)
    await terminal.shows(/month [▁-█]+/)
    terminal.press('tab')
    await terminal.shows('by tenant')
    await terminal.shows(/Hearth & Oat +\$3\.00/)
  })
})
