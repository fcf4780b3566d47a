import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'
import { createRowInserter } from '../kit/feed-rows.ts'
import { createStaff } from './staff.ts'

/** A queue of so many questions, `Piece 1` first in age. */
async function withPieces(count: number) {
  const clock = createTestClock(Date.now())
  const staff = await createStaff()
  const insert = createRowInserter(staff.harness.app, clock)
  const { tenantId } = staff.harness.team
  const ids: string[] = []
  for (let n = 1; n <= count; n += 1) ids.push(await insert.approval(tenantId, `Piece ${n}.`, 'low', 5 + n))
  return { staff, insert, tenantId, ids }
}

describe('the queue at the terminal', () => {
  it('shows many before it decides on them, and the outcome of each afterwards', async () => {
    const { staff, ids } = await withPieces(30)
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/30 pending/)
    terminal.press('*')
    await terminal.shows(/30 marked/)
    const approved = () =>
      staff.harness.count(`select count(*) as n from approvals where resolution = 'approved'`)
    terminal.press('a')
    await terminal.shows(/Approve 30 approvals\?/)
    terminal.press('n')
    await terminal.shows(/Nothing was decided/)
    expect(await approved()).toBe(0)
    terminal.press('a')
    await terminal.shows(/Approve 30 approvals\?/)
    // Someone else decides on some of them while the question is on the screen.
    for (const id of ids.slice(0, 5))
      await staff.other.call('cli', 'POST /approvals/:id/resolve', {
        params: { id },
        body: { resolution: 'rejected', note: 'No' },
      })
    terminal.press('y')
    await terminal.shows(/25 decided, 5 skipped, 0 failed/)
    expect(await approved()).toBe(25)
    await terminal.shows(/what was decided/)
    terminal.press('G')
    await terminal.shows(/25 of 30 decided, 5 skipped/)
    terminal.press('escape')
    await terminal.shows(/0 pending/)
  })

  it('decides on what was shown and on nothing that arrived meanwhile', async () => {
    const { staff, insert, tenantId, ids } = await withPieces(2)
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/2 pending/)
    terminal.press(':')
    await terminal.shows(/plain words/)
    terminal.press('bulk approve --risk low', 'enter')
    await terminal.shows(/Approve 2 approvals\?/)
    const late = await insert.approval(tenantId, 'Piece that came late.', 'low', 9)
    terminal.press('y')
    await terminal.shows(/2 decided, 0 skipped, 0 failed/)
    const rows = await staff.harness.app.db.sql.all('select id, status from approvals order by id')
    const wanted = [...ids, late]
      .toSorted()
      .map((id) => ({ id, status: id === late ? 'pending' : 'approved' }))
    expect(rows).toEqual(wanted)
  })

  it('decides on nothing that shows another text than when it was confirmed', async () => {
    const { staff, ids } = await withPieces(1)
    await using _ = staff
    const agent = await staff.harness.order()
    const review = { title: 'Please look', description: 'Is this the tone?', contentRef: 'draft-1' }
    const { approvalId } = await agent.call('POST /runs/:runId/actions/request-review', review)
    const terminal = await staff.sit()
    await terminal.shows(/2 pending/)
    terminal.press('*')
    await terminal.shows(/2 marked/)
    terminal.press('a')
    await terminal.shows(/Approve 2 approvals\?/)
    await agent.deliver('Written meanwhile')
    terminal.press('y')
    await terminal.shows(/1 decided, 0 skipped, 1 failed/)
    await terminal.shows(/The content has changed/)
    const approved = await staff.harness.app.db.sql.all(`select id from approvals where status = 'approved'`)
    expect(approved).toEqual(ids.map((id) => ({ id })))
    const state = 'select status from approvals where id = ?'
    expect(await staff.harness.app.db.sql.get(state, [approvalId])).toEqual({ status: 'pending' })
  })

  it('rejects several with one note', async () => {
    const { staff } = await withPieces(3)
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/3 pending/)
    terminal.press(' ', ' ')
    await terminal.shows(/2 marked/)
    terminal.press('r')
    await terminal.shows(/Why are 2 approvals rejected\?/)
    terminal.press('Off brand', 'enter')
    await terminal.shows(/Reject 2 approvals\?/)
    terminal.press('y')
    await terminal.shows(/2 decided, 0 skipped, 0 failed/)
    const notes = await staff.harness.app.db.sql.all(
      `select resolution_note from approvals where status = 'rejected'`,
    )
    expect(notes).toEqual([{ resolution_note: 'Off brand' }, { resolution_note: 'Off brand' }])
  })

  it('searches the whole queue, not only loaded pages', async () => {
    const { staff } = await withPieces(450)
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/450 pending/)
    terminal.press('/', 'Piece 441', 'enter')
    await terminal.shows(/1 with “Piece 441”  450/)
    await expect.poll(terminal.screen).toMatch(/› .*Piece 441\./)
  })

  it('filters while the user types, by words and by fields, and sorts', async () => {
    const { staff, insert, tenantId } = await withPieces(12)
    await using _ = staff
    await insert.approval(tenantId, 'The risky one', 'high', 9)
    await insert.blocked(tenantId, 'A blocked one', 2)
    const terminal = await staff.sit()
    await terminal.shows(/13 pending/)
    await terminal.shows(/high .*The risky one/)
    terminal.press('/')
    await terminal.shows(/Only rows with/)
    terminal.press('Piece 11')
    await terminal.shows(/1 with “Piece 11”/)
    terminal.press('ctrl+u', 'risk:high')
    await terminal.shows(/1 with “risk:high”/)
    await terminal.hides(/Piece/)
    terminal.press('ctrl+u', 'status:blocked', 'enter')
    await terminal.shows(/1 with “status:blocked”/)
    await terminal.shows(/A blocked one/)
    terminal.press('/')
    await terminal.shows(/Only rows with/)
    terminal.press('ctrl+u', 'enter')
    await terminal.shows(/Piece 3/)
    terminal.press('s')
    await terminal.shows(/waiting, by age/)
    const first = terminal.lines().findIndex((line) => line.includes('A blocked one'))
    expect(first).toBe(2)
  })
})
