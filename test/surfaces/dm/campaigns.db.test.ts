import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { waitForClient } from '../../kit/seeded-campaigns.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let ours: Team
let theirs: Team
let campaignId: string

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  ours = await app.team('Ours')
  theirs = await app.team('Theirs')
  campaignId = await waitForClient(ours.member, 'Rye')
  await waitForClient(theirs.member, 'Oats')
})

afterAll(() => app[Symbol.asyncDispose]())

const params = () => ({ campaignId })

describe('dm.campaigns.list', () => {
  it('lists the campaigns of assigned tenants with the tenant, and filters them', async () => {
    const list = async (query: { tenantId?: string; status?: 'client_review' | 'active' }) =>
      (await ours.reviewer.call('dm', 'GET /campaigns', { query })).data
    const [item] = (await ours.member.call('tenant', 'GET /campaigns', {})).data
    expect(await list({})).toEqual([{ ...item, tenantId: ours.tenantId, tenantName: 'Ours' }])
    expect(await list({ tenantId: ours.tenantId, status: 'active' })).toEqual([])
    expect(await refusal(list({ tenantId: theirs.tenantId }))).toMatchObject({ status: 403 })
  })
})

describe('dm.campaigns.get', () => {
  it('returns a campaign as its tenant sees it, with the tenant, to its reviewers only', async () => {
    const seen = await ours.member.call('tenant', 'GET /campaigns/:campaignId', { params: params() })
    expect(seen).toMatchObject({ status: 'client_review', statusNote: 'All about Rye' })
    expect(await ours.reviewer.call('dm', 'GET /campaigns/:campaignId', { params: params() })).toEqual({
      ...seen,
      tenantId: ours.tenantId,
      tenantName: 'Ours',
    })
    expect(
      await refusal(theirs.reviewer.call('dm', 'GET /campaigns/:campaignId', { params: params() })),
    ).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
