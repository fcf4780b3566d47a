import { describe, expect, it } from 'vitest'
import { badRequest, expectNothing, masterDesk } from './master-desk.ts'
import { sendForm, toneSkill } from './skill-forms.ts'

const path = '/admin/v1/agent-configs'

describe('admin.agent_configs.push', () => {
  it('leaves out tenants with values of their own, unless these are to go', async () => {
    await using t = await masterDesk()
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
    await using t = await masterDesk()
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
    await using t = await masterDesk()
    await t.change({ defaultConcurrency: 6 })
    const push = await t.push({ scope: 'new_tenants_only', fields: ['defaultConcurrency'] })
    expect(push).toMatchObject({ status: 200, json: { pushed: 0, skipped: 0 } })
    const later = await t.app.team()
    expect((await t.ofTeam('GET', 'blog_writer', undefined, later)).json.concurrency).toBe(6)
  })

  it('gives an agent to tenants whose plan it has become available on', async () => {
    await using t = await masterDesk()
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
    await using t = await masterDesk()
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
    await using t = await masterDesk()
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
    await using t = await masterDesk()
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
