import { describe, expect, it } from 'vitest'
import { loggedIn } from './kb-staff.ts'
import { createStaff } from './staff.ts'

describe('copydesk campaign draft, list, show, brief and status', () => {
  it('take a campaign from a draft over its brief and its reviewers to the client’s approval', async () => {
    await using staff = await createStaff()
    const { team } = staff.harness
    const member = await loggedIn(staff, 'member.1')
    const draft = ['campaign', 'draft', '--title', 'Rye at night', '--type', 'paid_ads', '--goal', 'orders']
    expect(await staff.run([...draft, '--currency', 'EUR'], member)).toMatchObject({ code: 2, stdout: '' })
    expect(await staff.run([...draft, '--budget', 'NaN'], member)).toMatchObject({ code: 2, stdout: '' })
    const money = ['--on', 'search_ads', '--budget', '250.50', '--currency', 'eur']
    const { id } = await staff.json<{ id: string }>([...draft, ...money], member)
    const prepared = await staff.run(['campaign', 'show', id], member)
    expect(prepared.stdout).toContain(`It is prepared and reviewed: campaign status ${id}`)
    expect(prepared.stdout).not.toContain('deliverable')
    const statusOf = async () =>
      (await team.member.call('tenant', 'GET /campaigns/:campaignId', { params: { campaignId: id } })).status
    const status = (...more: string[]) => ['campaign', 'status', id, ...more]

    const asked = await staff.run(['campaign', 'brief', id, '--for', 'Families in Bristol'], member)
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('The brief is being written') })
    const agent = await staff.harness.next()
    await agent.deliver('# Rye at night\n\nFor families in Bristol.')
    expect(await statusOf()).toBe('dm_review')
    const { stdout } = await staff.run(status(), member)
    expect(stdout).toContain('dm_review')
    expect(stdout).toContain('For families in Bristol.')
    expect(await staff.run(status('client'), member)).toMatchObject({ code: 2, stdout: '' })
    expect(await staff.json(status('client_review', '--note', 'Right?'), member)).toMatchObject({
      status: 'client_review',
      statusNote: 'Right?',
    })
    expect(await staff.run(status('client_approved'), member)).toMatchObject({ code: 1, stdout: '' })
    const waiting = ['campaign', 'list', '--status', 'client_review']
    expect((await staff.run(waiting, member)).stdout).toContain(id)

    const reviewer = await loggedIn(staff)
    const { data } = await staff.json<{ data: unknown[] }>(waiting, reviewer)
    expect(data).toMatchObject([{ id, type: 'paid_ads', status: 'client_review', budget: 250.5 }])
    expect((await staff.run(['campaign', 'list'], reviewer)).stdout).toMatch(
      /Rye at night.*paid_ads.*client_review/,
    )
    expect((await staff.run([...waiting, '--cursor', '2'], reviewer)).stdout).toContain('No campaigns.')
    expect(await staff.run([...waiting, '--cursor', 'x'], reviewer)).toMatchObject({ code: 2, stdout: '' })
    expect((await staff.run(['campaign', 'show', id], reviewer)).stdout).toContain('For families in Bristol.')
    expect((await staff.run(status(), reviewer)).stdout).toContain('“Right?”')
    const brief = ['campaign', 'brief', id, '--for', 'Everybody']
    expect(await staff.run(brief, reviewer)).toMatchObject({ code: 4, stdout: '' })
    expect(await staff.json(status('dm_review', '--note', 'Louder'), reviewer)).toMatchObject({
      status: 'dm_review',
      statusNote: 'Louder',
    })
    await staff.json(status('client_review'), await loggedIn(staff, 'member.1'))
    expect(await staff.json(status('client_approved'), await loggedIn(staff))).toMatchObject({
      status: 'client_approved',
    })
  })
})
