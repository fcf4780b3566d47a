import { describe, expect, it } from 'vitest'
import { badRequest, expectNothing, masterHarness } from '../master-harness.ts'

describe('admin.agent_configs.push', () => {
  it('skips tenants with changed settings, unless override is set', async () => {
    await using t = await masterHarness()
    const other = await t.app.team()
    await t.ofTeam('PATCH', 'blog_writer', { concurrency: 9, adapterConfig: { timeoutSec: 60, graceSec: 5 } })
    await t.change({ defaultConcurrency: 3, adapterConfig: { timeoutSec: 99 } })
    const fields = ['defaultConcurrency', 'adapterConfig.timeoutSec']
    const all = { scope: 'all_tenants', fields }
    expect((await t.push({ ...all, fields: ['defaultModel'] })).json).toEqual({ pushed: 2, skipped: 0 })
    expect((await t.push(all)).json).toEqual({ pushed: 1, skipped: 1 })
    expect((await t.ofTeam('GET', 'blog_writer')).json.concurrency).toBe(9)
    const one = { scope: 'specific_tenants', tenantIds: [other.tenantId], fields, overrideCustom: true }
    expect((await t.push(one)).json).toEqual({ pushed: 1, skipped: 0 })
    expect((await t.ofTeam('GET', 'blog_writer')).json.concurrency).toBe(9)

    expect((await t.push({ ...all, overrideCustom: true })).json).toEqual({ pushed: 2, skipped: 0 })
    expect((await t.ofTeam('GET', 'blog_writer')).json).toMatchObject({
      concurrency: 3,
      customFields: ['adapterConfig.graceSec'],
      adapterConfig: { timeoutSec: 99, graceSec: 5 },
    })
    expect((await t.push({ ...all, fields: ['adapterConfig'], overrideCustom: true })).json.pushed).toBe(2)
    expect((await t.ofTeam('GET', 'blog_writer')).json).toMatchObject({
      isGlobalDefault: true,
      adapterConfig: { graceSec: 30 },
    })
  })

  it('can be reverted by the tenant, and is written to its audit log', async () => {
    await using t = await masterHarness()
    await t.ofTeam('PATCH', 'blog_writer', { concurrency: 9 })
    await t.push({ scope: 'all_tenants', fields: ['defaultConcurrency'], overrideCustom: true })
    const versions = await t.ofTeam('GET', 'blog_writer/versions')
    expect(versions.json.data).toMatchObject([
      { version: 3, note: 'Pushed by the platform', createdBy: { name: 'Olga Operator' } },
      { version: 2, note: null, createdBy: { name: 'Ada Admin' } },
      { version: 1 },
    ])
    const log = await t.operator.send(
      'GET',
      `/admin/v1/tenants/${t.team.tenantId}/audit-log?filter.action=agent_config.push`,
    )
    expect(log.json.data).toMatchObject([{ before: { concurrency: 9 }, after: { concurrency: null } }])
    expect((await t.ofTeam('POST', 'blog_writer/versions/2/restore')).json.concurrency).toBe(9)
  })

  it('does not affect new tenants, which start with the current settings', async () => {
    await using t = await masterHarness()
    await t.change({ defaultConcurrency: 6 })
    const push = await t.push({ scope: 'new_tenants_only', fields: ['defaultConcurrency'] })
    expect(push).toMatchObject({ status: 200, json: { pushed: 0, skipped: 0 } })
    const later = await t.app.team()
    expect((await t.ofTeam('GET', 'blog_writer', undefined, later)).json.concurrency).toBe(6)
  })

  it('adds an agent to tenants whose plan now includes it', async () => {
    await using t = await masterHarness()
    const { plan } = (await t.operator.send('GET', `/admin/v1/tenants/${t.team.tenantId}`)).json
    await t.change({ isAvailableOnPlans: [] })
    const late = await t.app.team()
    expect((await t.ofTeam('GET', 'blog_writer', undefined, late)).status).toBe(404)
    await t.change({ isAvailableOnPlans: [plan] })
    const push = { scope: 'specific_tenants', tenantIds: [late.tenantId], fields: ['isAvailableOnPlans'] }
    expect((await t.push(push)).json).toEqual({ pushed: 1, skipped: 0 })
    expect((await t.ofTeam('GET', 'blog_writer', undefined, late)).json).toMatchObject({ status: 'idle' })
  })

  it('rejects unknown fields and tenants, and changes nothing', async () => {
    await using t = await masterHarness()
    const fields = ['defaultModel']
    const tenantIds = ['01ARZ3NDEKTSV4RRFFQ69G5FAV']
    for (const [body, field] of [
      [{ scope: 'all_tenants', fields: ['defaultAdapter'] }, 'fields.0'],
      [{ scope: 'all_tenants', fields: [] }, 'fields'],
      [{ scope: 'everybody', fields }, 'scope'],
      [{ scope: 'specific_tenants', fields }, 'tenantIds'],
      [{ scope: 'all_tenants', fields, tenantIds }, 'tenantIds'],
      [{ scope: 'specific_tenants', fields, tenantIds }, 'tenantIds.0'],
    ] as const)
      await expectNothing(t.app, () => t.push(body), badRequest(field))
    await expectNothing(t.app, () => t.push({ scope: 'all_tenants', fields }, 'poet'), { status: 404 })
  })
})
