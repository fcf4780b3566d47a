import { describe, expect, it } from 'vitest'
import { createStaff } from './staff.ts'

const draft = '# Spring oats\n\nMorning Oats are **rolled** and cheap. Find your nearest shop.'

describe('a question that shows no text', () => {
  it('is not approved with a text that came after it was shown', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/actions/request-review', {
      title: 'About rolled oats?',
      description: 'Is this the topic?',
    })
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/Is this the topic\?/)
    terminal.press('a')
    await terminal.shows(/Approve “About rolled oats\?” for Tenant 1\?/)
    await agent.deliver(draft)
    terminal.press('y')
    await terminal.shows(/The text has changed since you saw it, so nothing was decided/)
    await terminal.shows(/rolled and cheap/)
    expect(await harness.count(`select count(*) as n from approvals where status = 'approved'`)).toBe(0)
    terminal.press('a')
    await terminal.shows(/for Tenant 1, version 1\?/)
    terminal.press('y')
    await terminal.shows(/approved: About rolled oats\?/)
  })

  it('is approved although its activity has a text that it is not about', async () => {
    await using staff = await createStaff()
    const { harness } = staff
    const agent = await harness.order()
    await agent.deliver(draft)
    const [review] = await harness.app.db.sql.all<{ id: string }>('select id from approvals')
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: review?.id ?? '' },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await harness.next()
    await again.call('POST /runs/:runId/actions/create-approval', {
      title: 'May we name a price?',
      type: 'brand_direction',
    })
    const terminal = await staff.sit()
    await terminal.shows(/1 pending/)
    terminal.press('enter')
    await terminal.shows(/rolled and cheap/)
    terminal.press('a')
    await terminal.shows(/Approve “May we name a price\?”/)
    terminal.press('y')
    await terminal.shows(/approved: May we name a price\?/)
  })
})
