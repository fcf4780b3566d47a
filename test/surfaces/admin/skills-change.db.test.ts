import { describe, expect, it } from 'vitest'
import { sendTo } from '../../kit/operator.ts'
import { sendForm, toneSkill } from '../skill-forms.ts'
import { expectNothing, skillHarness } from '../skill-harness.ts'

describe('admin.skills.change', () => {
  it('changes the given fields, from JSON or a form', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add({ references: { 'a.md': 'A' } })).json
    t.clock.advance(1_000)
    const text = { content: '---\ndescription: From the text\n---\nShort.', agentRoles: ['analyst'] }
    expect((await t.send('PATCH', `/${id}`, text)).json).toMatchObject({
      name: 'Tone of voice',
      description: 'From the text',
      content: text.content,
      assignedAgents: ['analyst'],
      references: [{ name: 'a.md', content: 'A' }],
      sizeBytes: text.content.length + 1,
      updatedOn: t.clock.date().toISOString(),
    })
    expect((await t.config('blog_writer')).defaultSkillIds).toEqual([])
    const form = { file: 'Shorter', name: 'Tone', references: { 'b.md': 'B', 'c.md': 'C' } }
    expect((await t.upload(id, form)).json).toMatchObject({
      name: 'Tone',
      description: 'From the text',
      content: 'Shorter',
      assignedAgents: ['analyst'],
      references: [
        { name: 'b.md', content: 'B' },
        { name: 'c.md', content: 'C' },
      ],
    })
    expect((await t.upload(id, { agentRoles: 'all' })).json.assignedAgents).toContain('blog_writer')
    expect((await t.send('PATCH', `/${id}`, { references: [] })).json.references).toEqual([])
  })

  it('rejects invalid input, and changes nothing', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add()).json
    await t.add({ name: 'Taken' })
    const twice = [
      { name: 'a.md', content: 'A' },
      { name: 'a.md', content: 'B' },
    ]
    for (const [body, field] of [
      [{ content: ' ' }, 'content'],
      [{ name: '' }, 'name'],
      [{ agentRoles: ['poet'] }, 'agentRoles'],
      [{ references: twice }, 'references'],
      [{ surprise: 1 }, 'surprise'],
    ] as const) {
      const wanted = { status: 400, code: 'VALIDATION_ERROR', field }
      await expectNothing(t.app, () => t.send('PATCH', `/${id}`, body), wanted)
    }
    await expectNothing(t.app, () => t.send('PATCH', `/${id}`, { name: 'Taken' }), { status: 409 })
  })

  it('keeps both of two concurrent changes', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add()).json
    const answers = await Promise.all([
      t.send('PATCH', `/${id}`, { content: 'New' }),
      t.send('PATCH', `/${id}`, { description: 'When asked' }),
      t.send('PATCH', `/${id}`, { agentRoles: ['analyst'] }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { json } = await t.send('GET', `/${id}/versions`)
    expect(json.data.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
    expect((await t.send('GET', `/${id}`)).json).toMatchObject({
      content: 'New',
      description: 'When asked',
      assignedAgents: ['analyst'],
    })
  })
})

describe('admin.skills.delete', () => {
  it('removes it from every agent, without an event', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add()).json
    const chosen = { skillIds: [id] }
    await sendTo(t.app, 'PATCH', '/dashboard/v1/agents/analyst', { token: t.team.adminToken, body: chosen })
    expect((await t.tenantAgent('analyst')).skillIds).toEqual([id])
    expect(await t.send('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' })
    for (const role of ['blog_writer', 'analyst']) expect((await t.tenantAgent(role)).skillIds).toEqual([])
    expect((await t.config('blog_writer')).defaultSkillIds).toEqual([])
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/versions'],
      ['POST', '/versions/1/restore'],
    ] as const)
      expect((await t.send(method, `/${id}${rest}`)).status).toBe(404)
    expect(await t.app.db.sql.all(`select * from config_versions where kind = 'skill'`)).toEqual([])
    expect((await t.add()).status).toBe(201)
  })

  it('leaves no agent with the skill when it is assigned concurrently', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add()).json
    await Promise.all([
      t.send('DELETE', `/${id}`),
      t.operator.send('PATCH', '/admin/v1/agent-configs/analyst', { defaultSkillIds: [id] }),
      t.operator.send('PATCH', '/admin/v1/agent-configs/auditor', { defaultSkillIds: [id] }),
      t.send('PATCH', `/${id}`, { agentRoles: 'all' }),
    ])
    const { data } = (await t.operator.send('GET', '/admin/v1/agent-configs')).json
    expect(data.flatMap(({ defaultSkillIds }: { defaultSkillIds: string[] }) => defaultSkillIds)).toEqual([])
  })
})

describe('admin.skills.get', () => {
  it('returns a skill with its text, its references and its agents', async () => {
    await using t = await skillHarness()
    const made = (await t.add({ references: { 'a.md': 'A' } })).json
    expect((await t.send('GET', `/${made.id}`)).json).toEqual(made)
    expect(made).toMatchObject({
      content: '# Tone\n\nWarm and plain.',
      assignedAgents: ['blog_writer', 'social_writer'],
    })
    await t.send('PATCH', `/${made.id}`, { agentRoles: ['analyst'] })
    expect((await t.send('GET', `/${made.id}`)).json.assignedAgents).toEqual(['analyst'])
  })

  it('returns 404 for a skill of a tenant and for an unknown one', async () => {
    await using t = await skillHarness()
    const own = await sendForm(t.app, 'POST', '/dashboard/v1/skills', t.team.adminToken, toneSkill)
    for (const id of [own.json.id, '01ARZ3NDEKTSV4RRFFQ69G5FAV'])
      expect(await t.send('GET', `/${id}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.skills.versions', () => {
  it('lists the versions of a skill, newest first, with their authors', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add()).json
    await t.send('PATCH', `/${id}`, { name: 'Renamed' })
    await t.send('POST', `/${id}/versions/1/restore`)
    const { data } = (await t.send('GET', `/${id}/versions`)).json
    expect(data).toMatchObject([
      { version: 3, createdBy: { name: 'Olga Operator' }, note: 'Version 1 put back' },
      { version: 2, createdBy: { name: 'Olga Operator' }, note: null },
      { version: 1, createdBy: { name: 'Olga Operator' }, note: null },
    ])
    expect((await t.send('GET', `/${id}/versions?order=asc&limit=1`)).json.data).toEqual([data[2]])
  })
})

describe('admin.skills.version', () => {
  it('returns an earlier version of a skill, and the fields that differ from another version', async () => {
    await using t = await skillHarness()
    const { id } = (await t.add({ references: { 'a.md': 'A' } })).json
    await t.upload(id, { file: 'Changed', name: 'Other', references: { 'b.md': 'B' } })
    const first = (await t.send('GET', `/${id}/versions/1`)).json
    expect(first).toMatchObject({ version: 1, data: { name: 'Tone of voice' } })
    const compared = await t.send('GET', `/${id}/versions/2?against=1`)
    expect(compared.json.changes.map(({ field }: { field: string }) => field)).toEqual([
      'content',
      'name',
      'references.a.md',
      'references.b.md',
    ])
    for (const rest of ['3', '2?against=3'])
      expect(await t.send('GET', `/${id}/versions/${rest}`)).toMatchObject({ status: 404 })
  })
})

describe('admin.skills.restore', () => {
  it('restores an earlier text; keeps the assignment to agents', async () => {
    await using t = await skillHarness()
    const original = (await t.add({ references: { 'a.md': 'A' } })).json
    await t.upload(original.id, { file: 'Changed', name: 'Other', references: { 'b.md': 'B' } })
    await t.send('PATCH', `/${original.id}`, { agentRoles: ['analyst'] })
    t.clock.advance(1_000)
    expect((await t.send('POST', `/${original.id}/versions/1/restore`)).json).toEqual({
      ...original,
      assignedAgents: ['analyst'],
      updatedOn: t.clock.date().toISOString(),
    })
    expect((await t.send('GET', `/${original.id}/versions`)).json.data).toHaveLength(3)
    await t.send('PATCH', `/${original.id}`, { name: 'Renamed' })
    await t.add({ name: 'Other' })
    const taken = () => t.send('POST', `/${original.id}/versions/2/restore`)
    await expectNothing(t.app, taken, { status: 409, code: 'CONFLICT' })
  })
})
