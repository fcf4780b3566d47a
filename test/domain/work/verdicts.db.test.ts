import { describe, expect, it } from 'vitest'
import { brief, createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'

const oneSocialPost = { name: 'Spring', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }
const hour = 3_600_000

async function pending(app: TestApp, team: Team) {
  await team.admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
  return app.until(async () => {
    const { data } = await team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    return data[0]
  }, 'an approval is pending')
}

const resolve = (
  team: Team,
  approvalId: string,
  body: { resolution: 'approved' | 'rejected' | 'revision_requested'; note?: string; contentHash?: string },
) => team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body })

const count = async (app: TestApp, text: string, ...params: string[]) =>
  Number((await app.db.sql.get<{ n: number }>(text, params))?.n)

describe('a verdict', () => {
  it('is atomic: verdict, note, wake, audit record, notification and event are stored together', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { id } = await pending(app, team)
    await resolve(team, id, { resolution: 'rejected', note: 'Not our voice' })
    const detail = await team.reviewer.call('dm', 'GET /approvals/:approvalId', {
      params: { approvalId: id },
    })
    expect(detail).toMatchObject({
      status: 'rejected',
      resolution: 'rejected',
      resolutionNote: 'Not our voice',
      resolvedBy: { id: team.reviewerId, name: 'Rita Reviewer' },
    })
    expect(
      await count(
        app,
        `select count(*) as n from audit_records where resource_id = ? and action = 'approval.resolve'`,
        id,
      ),
    ).toBe(1)
    expect(
      await count(
        app,
        `select count(*) as n from event where subject = ? and type = 'approval_resolved'`,
        id,
      ),
    ).toBe(1)
    expect(
      await count(
        app,
        `select count(*) as n from notifications where subject_id = ? and user_id = ? and title like 'Sent back%'`,
        id,
        team.adminId,
      ),
    ).toBe(1)
    expect(await count(app, `select count(*) as n from runs where wake_reason = 'review_feedback'`)).toBe(1)
    expect(
      await count(
        app,
        `select count(*) as n from feedback where approval_id = ? and text = 'Not our voice'`,
        id,
      ),
    ).toBe(1)
  })

  it('requires a note unless it approves, and a rejected request changes nothing', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { id } = await pending(app, team)
    const audits = await count(app, 'select count(*) as n from audit_records')
    for (const resolution of ['rejected', 'revision_requested'] as const) {
      await expect(resolve(team, id, { resolution })).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field: 'note',
      })
    }
    await expect(
      resolve(team, id, { resolution: 'approved', contentHash: '0'.repeat(64) }),
    ).rejects.toMatchObject({
      status: 409,
      details: { reason: 'content_changed' },
    })
    expect(await count(app, 'select count(*) as n from audit_records')).toBe(audits)
    expect(
      (await team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })).status,
    ).toBe('pending')
  })

  it('is given once: of two concurrent verdicts on two servers one is accepted', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const other = await app.another({ worker: false })
    const { id } = await pending(app, team)
    const init = {
      method: 'POST',
      headers: { authorization: `Bearer ${team.adminToken}`, 'content-type': 'application/json' },
      body: '{"resolution":"approved"}',
    }
    const path = `/dashboard/v1/approvals/${id}/resolve`
    const answers = await Promise.all([
      app.fetch(path, init),
      other.fetch(new Request(`http://copydesk.test${path}`, init)),
      app.fetch(path, init),
    ])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect(
      await count(
        app,
        `select count(*) as n from audit_records where resource_id = ? and action = 'approval.resolve'`,
        id,
      ),
    ).toBe(1)
  })

  it('requires an admin or an assigned reviewer: members and other tenants are rejected', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const neighbour = await app.team()
    const { id } = await pending(app, team)
    const input = { params: { approvalId: id }, body: { resolution: 'approved' as const } }
    await expect(
      team.member.call('dashboard', 'POST /approvals/:approvalId/resolve', input),
    ).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await expect(
      neighbour.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', input),
    ).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await expect(resolve(neighbour, id, { resolution: 'approved' })).rejects.toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
    await expect(
      neighbour.admin.call('dashboard', 'GET /approvals/:approvalId', { params: { approvalId: id } }),
    ).rejects.toMatchObject({ status: 404 })
    expect((await neighbour.admin.call('dashboard', 'GET /approvals')).data).toEqual([])
    expect((await neighbour.admin.call('dashboard', 'GET /activities')).data).toEqual([])
    expect((await neighbour.reviewer.call('dm', 'GET /approvals')).data).toEqual([])
    await expect(
      neighbour.reviewer.call('dm', 'GET /approvals', { query: { tenantId: team.tenantId } }),
    ).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it('is rejected after the expiry: people were warned, the activity is blocked, nothing is approved', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const team = await app.team()
    const { id } = await pending(app, team)
    const has = (type: string) =>
      app.until(async () => {
        clock.advance(2_000)
        return (
          (await count(app, 'select count(*) as n from event where subject = ? and type = ?', id, type)) > 0
        )
      }, `the event ${type} was told`)
    clock.advance(69 * hour)
    await has('approval_expiring')
    clock.advance(4 * hour)
    await has('approval_expired')
    expect(await count(app, `select count(*) as n from activities where status = 'blocked'`)).toBe(1)
    expect(await count(app, `select count(*) as n from approvals where status = 'expired'`)).toBe(1)
  })
})
