import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'
import { createRowInserter } from '../kit/feed-rows.ts'
import { addDocuments } from '../kit/knowledge.ts'
import { createStaff } from './staff.ts'

/** A staff whose queue holds questions that no text belongs to, the first one first. */
async function withQuestions(...questions: ReadonlyArray<[title: string, more?: Record<string, string>]>) {
  const staff = await createStaff()
  const insert = createRowInserter(staff.harness.app, createTestClock(Date.now()))
  const { tenantId } = staff.harness.team
  const ids: string[] = []
  for (const [index, [title, more]] of questions.entries())
    ids.push(await insert.approval(tenantId, title, 'low', 5 + index, undefined, more))
  const rows = () =>
    staff.harness.app.db.sql.all(
      'select title, status, risk_level, selected_option from approvals where forwarded_from is null order by title',
    )
  return { staff, ids, rows }
}

describe('verdicts at the terminal', () => {
  it('are given one after the other, also when keys are pressed faster than approvals load', async () => {
    const { staff, rows } = await withQuestions(['First?'], ['Second?'], ['Third?'])
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/3 pending/)
    terminal.press('enter')
    await terminal.shows(/copydesk First\?/)
    await terminal.shows(/expires in/)
    terminal.press('a')
    await terminal.shows(/Approve “First\?”/)
    terminal.press('yayay')
    await terminal.shows(/approved: First\?/)
    await terminal.shows(/copydesk Second\?/)
    await terminal.shows(/expires in/)
    expect(await rows()).toMatchObject([
      { title: 'First?', status: 'approved' },
      { title: 'Second?', status: 'pending' },
      { title: 'Third?', status: 'pending' },
    ])
    await terminal.shows(/copydesk Second\?/)
    terminal.press('n')
    await terminal.shows(/copydesk Third\?/)
    await terminal.shows(/expires in/)
    terminal.press('r')
    await terminal.shows(/Why is “Third\?” for Tenant 1 rejected\?/)
    terminal.press('enter')
    await terminal.shows(/It cannot be empty/)
    terminal.press('Not now', 'enter')
    await terminal.shows(/rejected: Third\?\. Nothing else is pending/)
    expect((await rows()).map(({ status }) => status)).toEqual(['approved', 'pending', 'rejected'])
  })

  it('select one of the options, if any, with a single prompt', async () => {
    const { staff, rows } = await withQuestions([
      'Which?',
      { options: '["The warm one","The \\u001b[31mred one"]' },
    ])
    await using _ = staff
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/Options: 1\. The warm one {2}2\. The ␛\[31mred one/)
    terminal.press('a')
    await terminal.shows(/Approve “Which\?” for Tenant 1 with which\?/)
    terminal.press('2')
    await terminal.shows(/approved: Which\?/)
    expect(await rows()).toMatchObject([{ status: 'approved', selected_option: 'The \u001b[31mred one' }])
  })

  it('can be postponed: the risk is raised, the client is asked, and the claim is released on leaving', async () => {
    const { staff, ids, rows } = await withQuestions(['Hard?'])
    await using _ = staff
    const params = { id: ids[0] ?? '' }
    const detail = () => staff.other.call('cli', 'GET /approvals/:id', { params })
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/risk low/)
    terminal.press('x')
    await terminal.shows(/Which risk does “Hard\?”/)
    terminal.press('2')
    await terminal.shows(/Why\? People read it/)
    terminal.press('Names a rival', 'enter')
    await terminal.shows(/escalated: Hard\?/)
    await terminal.shows(/risk high/)
    terminal.press('f')
    await terminal.shows(/A note to the client/)
    terminal.press('Is it true?', 'enter')
    await terminal.shows(/sent to the client: Hard\?/)
    expect((await detail()).forwardedTo).toBeDefined()
    expect(await rows()).toMatchObject([{ status: 'pending', risk_level: 'high' }])
    await expect.poll(async () => (await detail()).claimedBy?.name).toBe('Rita Reviewer')
    terminal.press('ctrl+c')
    expect(await terminal.ended).toBe(0)
    await expect.poll(async () => (await detail()).claimedBy).toBe(undefined)
  })

  it('show banned phrases of the brand in the text', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await harness.team.admin.call('tenant', 'PUT /context', {
      body: { company: { name: 'Bakers' }, bannedPhrases: ['cheap'] },
    })
    await (await harness.order()).deliver('# Oats\n\nCheap oats, cheap rye.')
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await expect.poll(terminal.screen).toMatch(/Checks: .*“cheap”, 2 times/)
  })

  it('show what a document of the client says otherwise, and the document among the sources', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    await addDocuments(harness.app, harness.team, { 'prices.md': 'The oat bar costs 2.50 euros.' })
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/knowledge-search', { query: 'oat bar' })
    await agent.deliver('The oat bar costs €2.90.')
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await expect
      .poll(terminal.screen)
      .toMatch(/Checks: contradicts source “The oat bar costs €2\.90\.”, but\s+prices\.md\s+has/)
    terminal.press('tab')
    terminal.press('tab')
    await terminal.shows(/\[brief\]/)
    terminal.press('G')
    await terminal.shows(/source {2}\[1\] prices\.md/)
  })
})
