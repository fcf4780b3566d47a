import { describe, it } from 'vitest'
import { createStaffTerminal } from '../kit/staff-terminal.ts'

describe('agents', () => {
  it('are paused, resumed and recovered, those in error first', async () => {
    await using harness = await createStaffTerminal()
    const { db } = harness.app
    await db.write((tx) =>
      tx.run(
        `update tenant_agents set status = 'error', last_error_message = ?, last_error_at = ? where tenant_id = ? and role = 'strategist'`,
        ['The key of the model was refused', new Date(harness.clock.now() - 60_000), harness.anvil.tenantId],
      ),
    )
    const terminal = await harness.terminal({ columns: 120 })
    terminal.press('3')
    await terminal.shows(/› +Anvil +strategist +error .*The key of the model/)
    await terminal.shows(/agents +0 running · 1 in error/)
    terminal.press('enter')
    await terminal.shows('✘ 1 m ago  The key of the model was refused')
    await terminal.shows(/runtime +\S+/)
    await terminal.shows('There are no runs yet.')
    terminal.press('e')
    await terminal.shows('strategist of Anvil is active')
    await terminal.hides('refused')
    terminal.press('q', 'home')
    await terminal.hides('in error')
    terminal.press('p')
    await terminal.shows(/1 paused/)
    await terminal.shows(/› .* paused/)
    await terminal.shows('z undoes it')
    terminal.press('u')
    await terminal.hides('1 paused')
    terminal.press('p')
    await terminal.shows('1 paused')
    terminal.press('z')
    await terminal.hides('1 paused')
  })

  it('are listed with their queues and dead letters', async () => {
    await using harness = await createStaffTerminal()
    const { insert, hearth } = harness
    await insert.failed(hearth.tenantId, 'Given up', 2, { agent_role: 'blog_writer' })
    const terminal = await harness.terminal({ columns: 120 })
    terminal.press('3')
    await terminal.shows(/tenant +agent +state +running +waiting +dead +model/)
    await terminal.shows(/Hearth & Oat +blog_writer/)
  })
})
