import { describe, expect, it } from 'vitest'
import { promptPlaceholders } from '../../../packages/core/src/domain/agents/configuration/settings.ts'
import { badRequest, expectNothing, masterHarness } from '../master-harness.ts'
import { sendForm, toneSkill } from '../skill-forms.ts'

const path = '/admin/v1/agent-configs'

describe('admin.agent_configs.list', () => {
  it('lists every role with its default settings', async () => {
    await using t = await masterHarness()
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
      defaultTools: ['report_blocker', 'knowledge_search', 'request_review', 'add_comment'],
      defaultSkillIds: [],
      maxCostUsdPerActivity: null,
      defaultConcurrency: 2,
      isAvailableOnPlans: ['free', 'starter', 'pro', 'agency', 'enterprise'],
      lastUpdatedOn: t.clock.date().toISOString(),
    })
  })
})

describe('admin.agent_configs.get', () => {
  it('adds the adapter config and the variables of the prompt template', async () => {
    await using t = await masterHarness()
    const config = await t.get()
    expect(config.adapterConfig).toEqual({
      promptTemplate: expect.stringContaining('{{company}}'),
      timeoutSec: 1_800,
      graceSec: 30,
      maxTurnsPerRun: expect.any(Number),
      fallbackModels: [],
    })
    expect(config.placeholders).toEqual(Object.keys(promptPlaceholders))
    expect(await t.operator.send('GET', `${path}/poet`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.agent_configs.change', () => {
  it('changes the given fields, which tenants that inherit them use at once', async () => {
    await using t = await masterHarness()
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

  it('writes an audit record with the state before and after', async () => {
    await using t = await masterHarness()
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

  it('rejects unknown roles and fields, and changes nothing', async () => {
    await using t = await masterHarness()
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

  it('loses neither of two concurrent changes of different fields', async () => {
    await using t = await masterHarness()
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
