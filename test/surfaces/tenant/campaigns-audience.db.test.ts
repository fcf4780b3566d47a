import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { prepareCampaign } from '../../kit/seeded-campaigns.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let team: Team
let campaignId: string
let segmentId: string

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
  const made = await prepareCampaign(team.member, 'rye')
  ;({ campaignId, segmentId } = made)
})

afterAll(() => app[Symbol.asyncDispose]())

const add = (body: object, by = team.member) =>
  by.call('tenant', 'POST /campaigns/:campaignId/audience', {
    params: { campaignId },
    body: { name: 'Bakers', segmentType: 'custom_list', ...body },
  })
const change = (body: object, by = team.member) =>
  by.call('tenant', 'PATCH /campaigns/:campaignId/audience/:segmentId', {
    params: { campaignId, segmentId },
    body,
  })
const list = async (by = team.reviewer) =>
  (await by.call('tenant', 'GET /campaigns/:campaignId/audience', { params: { campaignId } })).data

const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('tenant.campaigns.add_audience', () => {
  it('adds a group, and names the field of what it does not take', async () => {
    const whole = { estimatedSize: 1_200, filters: { city: ['Bristol'] }, platformAudienceId: 'p-1' }
    expect(await add(whole)).toMatchObject({ name: 'Bakers', campaignId, source: 'manual', ...whole })
    const bad: Array<[object, string]> = [
      [{ segmentType: 'everyone' }, 'segmentType'],
      [{ estimatedSize: 1.5 }, 'estimatedSize'],
      [{ filters: ['city'] }, 'filters'],
      [{ filters: { long: 'x'.repeat(20_000) } }, 'filters'],
    ]
    for (const [body, field] of bad)
      expect(await refusal(add(body))).toEqual({ status: 400, code: 'VALIDATION_ERROR', field })
    expect(await refusal(add({}, team.reviewer))).toEqual(forbidden)
  })
})

describe('tenant.campaigns.audience', () => {
  it('lists the groups of a campaign, also to its reviewers', async () => {
    expect((await list()).map(({ name }) => name)).toEqual(['Friends of rye', 'Bakers'])
    expect(await list(team.member)).toEqual(await list())
  })
})

describe('tenant.campaigns.change_audience', () => {
  it('changes what is named, of a campaign that is not archived', async () => {
    expect(await change({ filters: { likes: 'oats' }, platformAudienceId: 'p-2' })).toMatchObject({
      name: 'Friends of rye',
      filters: { likes: 'oats' },
      platformAudienceId: 'p-2',
    })
    expect(await refusal(change({ estimatedSize: 5 }))).toMatchObject({ status: 400, field: 'estimatedSize' })
    const stranger = await app.team()
    expect(await refusal(change({ name: 'Mine' }, stranger.member))).toEqual(missing)
  })
})

describe('tenant.campaigns.remove_audience', () => {
  it('removes a group; an archived campaign keeps what it has', async () => {
    const { id } = await add({ name: 'Gone' })
    const remove = (of: string) =>
      team.member.call('tenant', 'DELETE /campaigns/:campaignId/audience/:segmentId', {
        params: { campaignId, segmentId: of },
      })
    await remove(id)
    expect((await list()).map(({ name }) => name)).not.toContain('Gone')
    expect(await refusal(remove(id))).toEqual(missing)
    await team.member.call('tenant', 'DELETE /campaigns/:campaignId', { params: { campaignId } })
    const before = await fingerprint(app.db)
    const late = () => change({ name: 'Late' })
    for (const call of [() => remove(segmentId), late, () => add({})])
      expect(await refusal(call())).toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})
