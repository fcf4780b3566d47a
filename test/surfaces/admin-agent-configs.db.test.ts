import { describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createOperator, expectRefused, operatorTables, type Operator, sendTo } from '../kit/operator.ts'
import { contents } from '../domain/contents.ts'
import { sendForm, toneSkill } from './skill-forms.ts'

const path = '/admin/v1/agent-configs'
const touched = [...operatorTables, 'master_agents', 'config_versions', 'skills']
const badRequest = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })

async function desk() {
  const clock = createTestClock()
  const app = await createTestApp({
    clock,
    worker: false,
    providers: [{ id: 'hosted', type: 'hosted_a', apiKey: 'none', models: ['claude-haiku-4-5'] }],
  })
  const operator = await createOperator(app)
  const team = await app.team()
  const ofTeam = (method: string, role: string, body?: object, one: Team = team) =>
    sendTo(app, method, `/dashboard/v1/agents/${role}`, {
      token: one.adminToken,
      ...(body && { body }),
    })
  return {
    app,
    clock,
    operator,
    team,
    ofTeam,
    change: (body: object, role = 'blog_writer') => operator.send('PATCH', `${path}/${role}`, body),
    push: (body: object, role = 'blog_writer') => operator.send('POST', `${path}/${role}/push`, body),
    get: async (role = 'blog_writer') => (await operator.send('GET', `${path}/${role}`)).json,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

async function expectNothing(app: TestApp, act: () => ReturnType<Operator['send']>, wanted: object) {
  const before = await contents(app, touched)
  await expectRefused(app, act, wanted)
  expect(await contents(app, touched)).toEqual(before)
}

describe('admin.agent_configs.list', () => {
  it('shows every role with what it starts from', async () => {
    await using t = await desk()
    const { status, json } = await t.operator.send('GET', path)
    expect(status).toBe(200)
    const roles: string[] = json.data.map(({ role }: { role: string }) => role)
    expect(roles).toEqual(roles.toSorted())
    expect(json.data.find(({ role }: { role: string }) => role === 'blog_writer')).toEqual({
      role: 'blog_writer',
      name: 'Blog writer',
      description: expect.any(String),
      defaultModel: 'claude-haiku-4-5',
      defaultAdapter: 'local',
      defaultTools: ['report_blocker', 'request_review', 'add_comment'],
      defaultSkillIds: [],
      maxCostUsdPerActivity: null,
      defaultConcurrency: 2,
      isAvailableOnPlans: ['free', 'starter', 'pro', 'agency', 'enterprise'],
      lastUpdatedOn: t.clock.date().toISOString(),
    })
  })
})

describe('admin.agent_configs.get', () => {
  it('adds the adapter config and what a prompt template may say', async () => {
    await using t = await desk()
    const config = await t.get()
    expect(config.adapterConfig).toEqual({
      promptTemplate: expect.stringContaining('{{company}}'),
      timeoutSec: 1_800,
      graceSec: 30,
      maxTurnsPerRun: expect.any(Number),
      fallbackModels: [],
    })
    expect(config.placeholders).toEqual(['company', 'campaign', 'deliverable', 'brand_voice', 'role'])
    expect(await t.operator.send('GET', `${path}/poet`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.agent_configs.change', () => {
  it('changes what is named, and tenants that inherit work with it at once', async () => {
    await using t = await desk()
    const before = await t.get()
    t.clock.advance(1_000)
    const changes = {
      defaultModel: 'claude-haiku-4-5',
      defaultTools: ['add_comment', 'add_comment'],
      maxCostUsdPerActivity: 0.75,
      defaultConcurrency: 4,
      isAvailableOnPlans: ['pro'],
      adapterConfig: { promptTemplate: 'You are {{ role }} of {{company}}.', timeoutSec: 90 },
    }
    const { status, json } = await t.change(changes)
    expect(status).toBe(200)
    const after = {
      ...before,
      ...changes,
      defaultTools: ['add_comment'],
      adapterConfig: { ...before.adapterConfig, ...changes.adapterConfig },
      lastUpdatedOn: t.clock.date().toISOString(),
    }
    expect(json).toEqual(after)
    expect(await t.get()).toEqual(after)
    expect((await t.ofTeam('GET', 'blog_writer')).json).toMatchObject({
      model: 'claude-haiku-4-5',
      toolNames: ['add_comment'],
      maxCostUsdPerActivity: 0.75,
      concurrency: 4,
      isGlobalDefault: true,
      customFields: [],
      adapterConfig: { promptTemplate: changes.adapterConfig.promptTemplate, timeoutSec: 90, graceSec: 30 },
    })
    expect((await t.change({ maxCostUsdPerActivity: null })).json.maxCostUsdPerActivity).toBeNull()
    expect((await t.get('social_writer')).adapterConfig.timeoutSec).toBe(1_800)
  })

  it('is on the record as it was before and after', async () => {
    await using t = await desk()
    await t.change({ defaultConcurrency: 7 })
    const [record] = await t.app.db.sql.all<{ before: string; after: string }>(
      `select * from audit_records where action = 'agent_config.change'`,
    )
    const [before, after] = [record?.before, record?.after].map((text) =>
      typeof text === 'string' ? JSON.parse(text) : text,
    )
    expect(record).toMatchObject({
      resource_type: 'agent_config',
      resource_id: 'blog_writer',
      tenant_id: null,
    })
    expect(before).toMatchObject({ defaultConcurrency: 2 })
    expect(after).toMatchObject({ defaultConcurrency: 7, version: 2 })
  })

  it('refuses what there is not, and fields that are not known, and changes nothing', async () => {
    await using t = await desk()
    const own = await sendForm(t.app, 'POST', '/dashboard/v1/skills', t.team.adminToken, toneSkill)
    for (const [body, field] of [
      [{ defaultModel: 'gpt-99' }, 'defaultModel'],
      [{ defaultTools: ['rm'] }, 'defaultTools.0'],
      [{ defaultSkillIds: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }, 'defaultSkillIds.0'],
      [{ defaultSkillIds: [own.json.id] }, 'defaultSkillIds.0'],
      [{ isAvailableOnPlans: ['gold'] }, 'isAvailableOnPlans.0'],
      [{ maxCostUsdPerActivity: -1 }, 'maxCostUsdPerActivity'],
      [{ defaultConcurrency: 11 }, 'defaultConcurrency'],
      [{ defaultAdapter: 'adapter_b' }, 'defaultAdapter'],
      [{ adapterConfig: { webhookUrl: 'https://a.example' } }, 'adapterConfig.webhookUrl'],
      [{ adapterConfig: { promptTemplate: 'For {{compny}}' } }, 'adapterConfig.promptTemplate'],
      [{ adapterConfig: { promptTemplate: 'For {{brand-voice}}' } }, 'adapterConfig.promptTemplate'],
      [{ adapterConfig: { promptTemplate: 'For {{company}' } }, 'adapterConfig.promptTemplate'],
      [{ adapterConfig: { promptTemplate: 'For {{toString}}' } }, 'adapterConfig.promptTemplate'],
    ] as const)
      await expectNothing(t.app, () => t.change(body), badRequest(field))
    await expectNothing(t.app, () => t.change({ defaultConcurrency: 1 }, 'poet'), { status: 404 })
  })

  it('loses nothing when two change different things at the same time', async () => {
    await using t = await desk()
    await Promise.all([
      t.change({ defaultConcurrency: 5 }),
      t.change({ adapterConfig: { timeoutSec: 77 } }),
      t.change({ adapterConfig: { graceSec: 11 } }),
    ])
    expect(await t.get()).toMatchObject({
      defaultConcurrency: 5,
      adapterConfig: { timeoutSec: 77, graceSec: 11 },
    })
    const { json } = await t.operator.send('GET', `${path}/blog_writer/versions`)
    expect(json.data.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1])
  })
})

describe('admin.agent_configs.push', () => {
  it('leaves out tenants with values of their own, unless these are to go', async () => {
    await using t = await desk()
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

  it('can be undone by the tenant, and stands in its own record', async () => {
    await using t = await desk()
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

  it('has nothing to do for new tenants: they start with the present values', async () => {
    await using t = await desk()
    await t.change({ defaultConcurrency: 6 })
    const push = await t.push({ scope: 'new_tenants_only', fields: ['defaultConcurrency'] })
    expect(push).toMatchObject({ status: 200, json: { pushed: 0, skipped: 0 } })
    const later = await t.app.team()
    expect((await t.ofTeam('GET', 'blog_writer', undefined, later)).json.concurrency).toBe(6)
  })

  it('gives an agent to tenants whose plan it has become available on', async () => {
    await using t = await desk()
    const { plan } = (await t.operator.send('GET', `/admin/v1/tenants/${t.team.tenantId}`)).json
    await t.change({ isAvailableOnPlans: [] })
    const late = await t.app.team()
    expect((await t.ofTeam('GET', 'blog_writer', undefined, late)).status).toBe(404)
    await t.change({ isAvailableOnPlans: [plan] })
    const push = { scope: 'specific_tenants', tenantIds: [late.tenantId], fields: ['isAvailableOnPlans'] }
    expect((await t.push(push)).json).toEqual({ pushed: 1, skipped: 0 })
    expect((await t.ofTeam('GET', 'blog_writer', undefined, late)).json).toMatchObject({ status: 'idle' })
  })

  it('refuses fields and tenants that there are not, and changes nothing', async () => {
    await using t = await desk()
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

describe('admin.agent_configs.restore', () => {
  const versions = `${path}/blog_writer/versions`

  it('puts the original back, as a version of its own', async () => {
    await using t = await desk()
    const original = await t.get()
    await t.change({ defaultConcurrency: 5, adapterConfig: { promptTemplate: 'Write for {{company}}.' } })
    await t.change({ defaultConcurrency: 6 })
    const compared = await t.operator.send('GET', `${versions}/3?against=1`)
    expect(compared.json).toMatchObject({ version: 3, against: 1 })
    expect(compared.json.changes.map(({ field }: { field: string }) => field)).toEqual([
      'adapterConfig.promptTemplate',
      'defaultConcurrency',
    ])
    expect(compared.json.changes[0].diff).toContainEqual({ change: 'added', text: expect.any(String) })
    t.clock.advance(1_000)
    const restored = await t.operator.send('POST', `${versions}/1/restore`)
    expect(restored.json).toEqual({ ...original, lastUpdatedOn: t.clock.date().toISOString() })
    const listed = await t.operator.send('GET', `${versions}?limit=2`)
    expect(listed.json.data).toMatchObject([{ version: 4, note: 'Version 1 put back' }, { version: 3 }])
    expect(listed.json.pagination.hasMore).toBe(true)
  })

  it('leaves out skills that are gone, and refuses versions that cannot be any more', async () => {
    await using t = await desk()
    const skill = await sendForm(t.app, 'POST', '/admin/v1/skills', t.operator.token, toneSkill)
    await t.change({ defaultConcurrency: 5 })
    await t.operator.send('DELETE', `/admin/v1/skills/${skill.json.id}`)
    expect((await t.operator.send('POST', `${versions}/3/restore`)).json).toMatchObject({
      defaultConcurrency: 5,
      defaultSkillIds: [],
    })
    await t.app.db.write((tx) =>
      tx.run(`update master_agents set default_model = 'gone' where role = 'blog_writer'`),
    )
    expect((await t.change({ defaultModel: 'builtin-writer' })).status).toBe(200)
    const { json } = await t.operator.send('GET', versions)
    const gone = json.data[1].version
    const restore = () => t.operator.send('POST', `${versions}/${gone}/restore`)
    await expectNothing(t.app, restore, { status: 422, code: 'UNPROCESSABLE' })
    for (const wrong of ['99', 'x', '0'])
      await expectNothing(t.app, () => t.operator.send('POST', `${versions}/${wrong}/restore`), {
        status: 404,
      })
  })
})
