import { describe, expect, it } from 'vitest'
import { expectNothing, masterHarness } from '../master-harness.ts'
import { sendForm, toneSkill } from '../skill-forms.ts'

const path = '/admin/v1/agent-configs'
const versions = `${path}/blog_writer/versions`

describe('admin.agent_configs.versions', () => {
  it('lists the versions of a role, newest first, with their authors, page by page', async () => {
    await using t = await masterHarness()
    await t.change({ defaultConcurrency: 5 })
    await t.operator.send('POST', `${versions}/1/restore`)
    const { json } = await t.operator.send('GET', versions)
    expect(json.data).toMatchObject([
      { version: 3, createdBy: { name: 'Olga Operator' }, note: 'Version 1 put back' },
      { version: 2, createdBy: { name: 'Olga Operator' }, note: null },
      { version: 1, createdBy: { name: 'Copydesk' } },
    ])
    const page = (await t.operator.send('GET', `${versions}?limit=2`)).json
    expect(page).toMatchObject({ data: json.data.slice(0, 2), pagination: { hasMore: true } })
    const rest = await t.operator.send('GET', `${versions}?limit=2&cursor=${page.pagination.nextCursor}`)
    expect(rest.json.data).toEqual(json.data.slice(2))
    const unknown = await t.operator.send('GET', `${path}/poet/versions`)
    expect(unknown).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.agent_configs.version', () => {
  it('returns an earlier version of a role, and the fields that differ from another version', async () => {
    await using t = await masterHarness()
    await t.change({ defaultConcurrency: 5, adapterConfig: { promptTemplate: 'Write for {{company}}.' } })
    await t.change({ defaultConcurrency: 6 })
    const read = (rest: string) => t.operator.send('GET', `${versions}/${rest}`)
    expect((await read('2')).json).toMatchObject({ version: 2, data: { defaultConcurrency: 5 } })
    const compared = (await read('3?against=1')).json
    expect(compared).toMatchObject({ version: 3, against: 1 })
    expect(compared.changes.map(({ field }: { field: string }) => field)).toEqual([
      'adapterConfig.promptTemplate',
      'defaultConcurrency',
    ])
    expect(compared.changes[0].diff).toContainEqual({ change: 'added', text: expect.any(String) })
    expect(compared.changes[1]).toMatchObject({ before: 2, after: 6 })
    for (const wrong of ['4', '3?against=4', 'x'])
      expect(await read(wrong)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.agent_configs.restore', () => {
  it('restores the original as a new version', async () => {
    await using t = await masterHarness()
    const original = await t.get()
    await t.change({ defaultConcurrency: 5, adapterConfig: { promptTemplate: 'Write for {{company}}.' } })
    await t.change({ defaultConcurrency: 6 })
    t.clock.advance(1_000)
    const restored = await t.operator.send('POST', `${versions}/1/restore`)
    expect(restored.json).toEqual({ ...original, lastUpdatedOn: t.clock.date().toISOString() })
    expect(await t.get()).toEqual(restored.json)
  })

  it('omits deleted skills, and rejects versions that are no longer valid', async () => {
    await using t = await masterHarness()
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
