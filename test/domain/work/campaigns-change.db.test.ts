import { describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { asJson } from '../../kit/columns.ts'
import { campaignTables, contents } from '../contents.ts'
import { campaign } from './planning.ts'

type Change = { name?: string; brief?: string; budgetCapUsd?: number | null; status?: 'active' | 'paused' }

async function stored(more: object = {}) {
  const app = await createTestApp({ worker: false })
  const team = await app.team()
  const body = campaign(more)
  const { id } = await team.admin.call('dashboard', 'POST /campaigns', { body })
  return { app, team, id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const change = ({ admin }: Team, campaignId: string, body: Change) =>
  admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params: { campaignId }, body })
const archive = ({ admin }: Team, campaignId: string) =>
  admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params: { campaignId } })
const setStatus = (app: TestApp, id: string, status: string) =>
  app.db.write((tx) => tx.run('update campaigns set status = ? where id = ?', [status, id]))
const row = async (app: TestApp, id: string) => {
  const { updated_on: _, ...rest } = {
    ...(await app.db.sql.get('select * from campaigns where id = ?', [id])),
  }
  return rest
}
const last = async (app: TestApp, table: 'event' | 'audit_records') =>
  (await app.db.sql.all(`select * from ${table} order by 1`)).at(-1) ?? {}
const count = async (app: TestApp, table: string) =>
  Number((await app.db.sql.get<{ n: number }>(`select count(*) as n from ${table}`))?.n)

describe('dashboard.campaigns.change', () => {
  it('changes the given fields only', async () => {
    await using made = await stored({ budgetCapUsd: 5 })
    const { app, team, id } = made
    let before = await row(app, id)
    const steps: Array<[Change, object]> = [
      [{ name: 'Summer' }, { name: 'Summer' }],
      [{ brief: 'Rye for lunch.' }, { brief: 'Rye for lunch.' }],
      [{ budgetCapUsd: 0.5 }, { budget_cap_micros: 500_000 }],
      [{ budgetCapUsd: null }, { budget_cap_micros: null }],
      [{ status: 'paused' }, { status: 'paused' }],
    ]
    for (const [named, columns] of steps) {
      await change(team, id, named)
      const after = await row(app, id)
      const number = after['budget_cap_micros']
      expect({ ...after, budget_cap_micros: number === null ? null : Number(number) }).toEqual({
        ...before,
        ...(typeof before['budget_cap_micros'] === 'string' && {
          budget_cap_micros: Number(before['budget_cap_micros']),
        }),
        ...columns,
      })
      before = after
    }
    expect(await count(app, 'job')).toBe(1)
  })

  it('returns the campaign with the values of the list', async () => {
    await using made = await stored()
    const { app, team, id } = made
    const answer = await change(team, id, { name: 'Summer', budgetCapUsd: 1.000001 })
    expect(answer).toMatchObject({ id, name: 'Summer', budgetCapUsd: 1.000001, deliverableCount: 1 })
    expect((await team.admin.call('dashboard', 'GET /campaigns')).data).toEqual([answer])
    expect(await count(app, 'campaigns')).toBe(1)
  })

  it('writes an audit record and emits an event', async () => {
    await using made = await stored({ budgetCapUsd: 5 })
    const { app, team, id } = made
    await change(team, id, { name: 'Summer', brief: 'A secret recipe.' })
    const audit = await last(app, 'audit_records')
    expect(audit).toMatchObject({ action: 'campaign.change', actor_id: team.adminId, resource_id: id })
    expect(asJson(audit['before'])).toEqual({ name: 'Spring', status: 'draft', budgetCapUsd: 5 })
    const after = { name: 'Summer', status: 'draft', budgetCapUsd: 5, briefChanged: true }
    expect(asJson(audit['after'])).toEqual(after)
    const event = await last(app, 'event')
    expect(event).toMatchObject({ type: 'campaign_update', subject: id, tenant_id: team.tenantId })
    expect(asJson(event['data'])).toEqual({ campaignId: id, name: 'Summer', status: 'draft' })
  })

  it('plans a campaign again when it is resumed, and not when it is paused or active already', async () => {
    await using made = await stored()
    const { app, team, id } = made
    await setStatus(app, id, 'active')
    expect((await change(team, id, { status: 'active' })).status).toBe('active')
    expect((await change(team, id, { status: 'paused' })).status).toBe('paused')
    expect((await change(team, id, { status: 'paused' })).status).toBe('paused')
    expect(await count(app, 'job')).toBe(1)
    expect((await change(team, id, { status: 'active' })).status).toBe('active')
    const jobs = await app.db.sql.all('select * from job order by id')
    expect(jobs.map((job) => [job['kind'], asJson(job['payload'])])).toEqual([
      ['campaign.plan', { campaignId: id }],
      ['campaign.plan', { campaignId: id }],
    ])
  })

  it('resumes a campaign that its client approved, but does not pause it', async () => {
    await using made = await stored()
    const { app, team, id } = made
    await setStatus(app, id, 'client_approved')
    await expect(change(team, id, { status: 'paused' })).rejects.toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
      field: 'status',
    })
    expect((await change(team, id, { status: 'active' })).status).toBe('active')
  })

  it('rejects archived and completed campaigns and those under review', async () => {
    await using made = await stored()
    const { app, team, id } = made
    for (const status of ['archived', 'completed', 'dm_review', 'client_review']) {
      await setStatus(app, id, status)
      const before = await contents(app, campaignTables)
      for (const wanted of ['active', 'paused'] as const) {
        await expect(change(team, id, { name: 'X', status: wanted })).rejects.toMatchObject({
          status: 422,
          code: 'UNPROCESSABLE',
        })
      }
      expect(await contents(app, campaignTables)).toEqual(before)
    }
    await setStatus(app, id, 'archived')
    await expect(change(team, id, { name: 'X' })).rejects.toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    expect(await row(app, id)).toMatchObject({ name: 'Spring' })
  })

  it('rejects invalid input, names the field and changes nothing', async () => {
    await using made = await stored()
    const { app, team, id } = made
    const before = await contents(app, campaignTables)
    const refused: Array<[object, string]> = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(201) }, 'name'],
      [{ brief: '' }, 'brief'],
      [{ budgetCapUsd: -1 }, 'budgetCapUsd'],
      [{ budgetCapUsd: 0.0000001 }, 'budgetCapUsd'],
      [{ status: 'archived' }, 'status'],
      [{ status: 'completed' }, 'status'],
    ]
    for (const [body, field] of refused) {
      await expect(change(team, id, { name: 'X', ...body }), field).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field,
      })
    }
    expect(await contents(app, campaignTables)).toEqual(before)
  })
})

describe('dashboard.campaigns.archive', () => {
  it('archives with an audit record and an event', async () => {
    await using made = await stored()
    const { app, team, id } = made
    const before = await row(app, id)
    expect(await archive(team, id)).toBeUndefined()
    expect(await row(app, id)).toEqual({ ...before, status: 'archived' })
    const audit = await last(app, 'audit_records')
    expect(audit).toMatchObject({ action: 'campaign.archive', actor_id: team.adminId, resource_id: id })
    expect(asJson(audit['after'])).toMatchObject({ status: 'archived' })
    const event = await last(app, 'event')
    expect(event).toMatchObject({ type: 'campaign_update', subject: id })
    expect(asJson(event['data'])).toMatchObject({ status: 'archived' })
    const query = { 'filter.status': 'archived' as const }
    expect((await team.admin.call('dashboard', 'GET /campaigns', { query })).data).toMatchObject([{ id }])
  })

  it('has no effect and emits nothing when repeated', async () => {
    await using made = await stored()
    const { app, team, id } = made
    await archive(team, id)
    // That someone asked again is on record all the same.
    const tables = campaignTables.filter((table) => table !== 'audit_records')
    const before = await contents(app, tables)
    await archive(team, id)
    expect(await contents(app, tables)).toEqual(before)
    const audits = await app.db.sql.all('select * from audit_records where resource_id = ? order by id', [id])
    expect(
      audits.map((audit) => [audit['action'], asJson<{ status: string }>(audit['before'])?.status]),
    ).toEqual([
      ['campaign.create', undefined],
      ['campaign.archive', 'draft'],
      ['campaign.archive', undefined],
    ])
  })
})

describe('changing and archiving', () => {
  it('require an admin: a member is rejected and nothing changes', async () => {
    await using made = await stored()
    const { app, team, id } = made
    const before = await contents(app, campaignTables)
    const forbidden = { status: 403, code: 'FORBIDDEN' }
    await expect(change({ ...team, admin: team.member }, id, { name: 'X' })).rejects.toMatchObject(forbidden)
    await expect(archive({ ...team, admin: team.member }, id)).rejects.toMatchObject(forbidden)
    expect(await contents(app, campaignTables)).toEqual(before)
  })
})
