import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { password } from '../kit/app.ts'
import { onScreen } from './screen.ts'
import { createStaff } from './staff.ts'

const enter = '\r'
const hostile = '\u001b]0;owned\u0007\u001b[2JOats'

describe('a user at a terminal', () => {
  it('is asked for confirmation with the affected rows, and nothing happens after a no', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    await staff.harness.app.db.write((tx) => tx.run('update approvals set title = ?', [hostile]))
    const before = await staff.harness.state()
    using refused = await onScreen(['approve', approvalId], { cwd: staff.home, env: staff.env })
    await refused.shows('Approve pending approvals?')
    expect(refused.lines().join('\n')).toContain('␛[2JOats · Tenant 1')
    refused.type('n')
    expect(await refused.ended).toBe(0)
    expect(refused.lines().join('\n')).toContain('Nothing was done.')
    expect(refused.title()).toBe('')
    expect(await staff.harness.state()).toEqual(before)

    using agreed = await onScreen(['bulk', 'approve', '--risk', 'low'], { cwd: staff.home, env: staff.env })
    await agreed.shows('1 approval would be decided')
    await agreed.shows('Give one verdict on up to 500')
    agreed.type('y')
    await agreed.shows('1 of 1 decided')
    expect(await agreed.ended).toBe(0)
    expect(await staff.json(['queue'])).toMatchObject({ pending: [] })
  })

  it('decides on several only as they were when the question was asked', async () => {
    await using staff = await createStaff()
    const { approvalId } = await staff.waiting()
    const agent = await staff.harness.order()
    const review = { title: 'Please look', description: 'Is this the tone?', contentRef: 'draft-1' }
    const { approvalId: later } = await agent.call('POST /runs/:runId/actions/request-review', review)
    using screen = await onScreen(['approve', later, approvalId], { cwd: staff.home, env: staff.env })
    await screen.shows('Approve pending approvals?')
    await agent.deliver('Written meanwhile')
    screen.type('y')
    await screen.shows('The content has changed since it was shown')
    expect(await screen.ended).toBe(1)
    const sql = 'select id, status from approvals where id in (?, ?) order by status'
    expect(await staff.harness.app.db.sql.all(sql, [later, approvalId])).toEqual([
      { id: approvalId, status: 'approved' },
      { id: later, status: 'pending' },
    ])
  })

  it('logs in with an e-mail address and a password that is not echoed', async () => {
    await using staff = await createStaff()
    const env = { TMPDIR: join(staff.home, 'tmp') }
    using screen = await onScreen(['login', staff.harness.url], { cwd: staff.home, env })
    await screen.shows('API key')
    screen.type(enter)
    await screen.shows('E-mail')
    screen.type(`reviewer.1.tenant-1@test.example${enter}`)
    await screen.shows('Password')
    screen.type(password + enter)
    await screen.shows('Logged in')
    expect(await screen.ended).toBe(0)
    const shown = screen.lines().join('\n')
    expect(shown).toContain('Rita Reviewer')
    expect(shown).not.toContain(password)
  })

  it('watches in place, and is shown the command to undo an operation', async () => {
    await using staff = await createStaff()
    using screen = await onScreen(['queue', '--watch', '0.1'], { cwd: staff.home, env: staff.env })
    await screen.shows('0 approvals pending')
    const { approvalId } = await staff.waiting()
    await screen.shows('1 approval pending')
    expect(screen.lines().join('\n')).not.toContain('0 approvals')
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
    using claimed = await onScreen(['claim', approvalId], { cwd: staff.home, env: staff.env })
    await claimed.shows(`Undo it with: copydesk release ${approvalId}`)
    expect(await claimed.ended).toBe(0)
  })

  it('opens the client by the name alone, or is told how to log in', async () => {
    await using staff = await createStaff()
    using nobody = await onScreen([], { cwd: staff.home, env: {} })
    await nobody.shows('copydesk login')
    expect(await nobody.ended).toBe(4)
    const piped = await staff.run([])
    expect(piped).toMatchObject({ code: 0, stderr: '' })
    expect(piped.stdout).toMatch(/Everyday \(against a server\):[^]*On this machine:/)
    expect((await staff.run(['terminal'])).code).toBe(2)
  })
})
