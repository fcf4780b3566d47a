import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createOperator, expectRefused, sendTo } from '../../kit/operator.ts'
import { type SkillForm, sendForm, toneSkill } from '../skill-forms.ts'

const path = '/dashboard/v1/skills'
const touched = ['skills', 'config_versions', 'tenant_agents', 'master_agents', 'audit_records']

async function harness() {
  const app = await createTestApp({ worker: false })
  const operator = await createOperator(app)
  const team = await app.team()
  const send = (method: string, rest: string, body?: object, one: Team = team) =>
    sendTo(app, method, `${path}${rest}`, { token: one.adminToken, ...(body && { body }) })
  return {
    app,
    operator,
    team,
    send,
    add: (form: SkillForm = {}, one: Team = team) =>
      sendForm(app, 'POST', path, one.adminToken, { ...toneSkill, ...form }),
    addGlobal: (form: SkillForm = {}) =>
      sendForm(app, 'POST', '/admin/v1/skills', operator.token, { ...toneSkill, ...form }),
    names: async (query = '', one: Team = team) =>
      (await send('GET', query, undefined, one)).json.data.map(({ name }: { name: string }) => name),
    skillIds: async (role: string, one: Team = team) =>
      (await sendTo(app, 'GET', `/dashboard/v1/agents/${role}`, { token: one.adminToken })).json.skillIds,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

async function expectNothing(app: TestApp, act: () => ReturnType<typeof sendTo>, wanted: object) {
  const before = await contents(app, touched)
  await expectRefused(app, act, wanted)
  expect(await contents(app, touched)).toEqual(before)
}

describe('dashboard.skills.create', () => {
  it('assigns a skill to agents of the tenant, also for members', async () => {
    await using t = await harness()
    const other = await t.app.team()
    const body = new FormData()
    body.append('file', new Blob(['Text'], { type: 'text/markdown' }), 'a.md')
    for (const [name, value] of Object.entries({ name: 'Ours', description: 'Why', agentRoles: 'analyst' }))
      body.append(name, value)
    const skill = await t.team.member.call('dashboard', 'POST /skills', { body })
    expect(skill).toMatchObject({
      name: 'Ours',
      scope: 'tenant',
      assignedAgents: ['analyst'],
      sizeBytes: 4,
      createdBy: 'Mia Member',
      content: 'Text',
    })
    expect(await t.skillIds('analyst')).toEqual([skill.id])
    expect(await t.skillIds('analyst', other)).toEqual([])
    const agents = await t.team.admin.call('dashboard', 'GET /agents')
    expect(agents.data.every(({ isGlobalDefault }) => isGlobalDefault)).toBe(true)
  })

  it('accepts up to 500 KiB, unique names, and existing roles; otherwise changes nothing', async () => {
    await using t = await harness()
    const fits = await t.add({ file: 'x'.repeat(500 * 1024) })
    expect(fits).toMatchObject({ status: 201, json: { sizeBytes: 500 * 1024 } })
    const file = 'x'.repeat(500 * 1024 + 1)
    await expectNothing(t.app, () => t.add({ name: 'B', file }), { status: 413, code: 'PAYLOAD_TOO_LARGE' })
    await expectNothing(t.app, () => t.add(), { status: 409, code: 'CONFLICT', field: 'name' })
    await t.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'analyst' and tenant_id = ?`, [
        t.team.tenantId,
      ]),
    )
    const role = { status: 400, code: 'VALIDATION_ERROR', field: 'agentRoles' }
    await expectNothing(t.app, () => t.add({ name: 'B', agentRoles: 'analyst' }), role)
  })

  it('accepts one of two concurrent skills with the same name', async () => {
    await using t = await harness()
    const answers = await Promise.all([t.add(), t.add(), t.add()])
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', '409', '409'])
    expect(await t.names()).toEqual(['Tone of voice'])
  })

  it('limits a tenant to 500 skills', async () => {
    await using t = await harness()
    await t.add()
    await t.app.db.write(async (tx) => {
      for (let n = 1; n < 500; n += 1)
        await tx.run(
          `insert into skills select ?, tenant_id, ?, description, content, "references", for_all_roles, size_bytes,
             created_by_id, created_by_name, created_on, updated_on from skills where name = 'Tone of voice'`,
          [`01ARZ3NDEKTSV4RRFFQ69G${String(n).padStart(4, '0')}`, `Skill ${n}`],
        )
    })
    await expectNothing(t.app, () => t.add({ name: 'One more' }), { status: 422, code: 'UNPROCESSABLE' })
  })
})

describe('dashboard.skills.list', () => {
  it('lists the skills of the tenant and the installation, by name, with their agents', async () => {
    await using t = await harness()
    const other = await t.app.team()
    await t.add({ name: 'Ours', agentRoles: 'analyst' })
    await t.add({ name: 'Theirs' }, other)
    await t.addGlobal({ name: 'Everybody’s', agentRoles: 'analyst, auditor' })
    expect(await t.names()).toEqual(['Everybody’s', 'Ours'])
    expect(await t.names('?filter.scope=tenant')).toEqual(['Ours'])
    expect(await t.names('?filter.scope=global')).toEqual(['Everybody’s'])
    expect(await t.names('?filter.agentRole=auditor')).toEqual(['Everybody’s'])
    expect(await t.names('?filter.agentRole=analyst&filter.scope=tenant')).toEqual(['Ours'])
    expect(await t.names('', other)).toEqual(['Everybody’s', 'Theirs'])
  })
})

describe('dashboard.skills.get', () => {
  it('returns a skill of the tenant or the installation with its text and agents', async () => {
    await using t = await harness()
    const other = await t.app.team()
    const ours = (await t.add({ agentRoles: 'analyst' })).json
    expect((await t.send('GET', `/${ours.id}`)).json).toEqual(ours)
    expect(ours).toMatchObject({ scope: 'tenant', assignedAgents: ['analyst'] })
    const all = await t.addGlobal({ name: 'Everybody’s', agentRoles: 'analyst, auditor' })
    expect((await t.send('GET', `/${all.json.id}`)).json).toMatchObject({
      scope: 'global',
      assignedAgents: ['analyst', 'auditor'],
      content: '# Tone\n\nWarm and plain.',
    })
    const own = { token: t.team.adminToken, body: { skillIds: [] } }
    await sendTo(t.app, 'PATCH', '/dashboard/v1/agents/analyst', own)
    expect((await t.send('GET', `/${all.json.id}`)).json.assignedAgents).toEqual(['auditor'])
    expect((await t.send('GET', `/${all.json.id}`, undefined, other)).json.assignedAgents).toHaveLength(2)
  })
})

describe('dashboard.skills.change', () => {
  it('changes a skill of the tenant, from JSON or a form, with an audit record', async () => {
    await using t = await harness()
    const { id } = (await t.add()).json
    const changed = await t.send('PATCH', `/${id}`, { name: 'Tone', content: 'Plain.', agentRoles: 'all' })
    expect(changed.json).toMatchObject({ name: 'Tone', content: 'Plain.', sizeBytes: 6 })
    expect(changed.json.assignedAgents.length).toBeGreaterThan(5)
    const form = await sendForm(t.app, 'PATCH', `${path}/${id}`, t.team.adminToken, { file: 'Plainer.' })
    expect(form.json).toMatchObject({ name: 'Tone', content: 'Plainer.' })
    const log = await t.operator.send(
      'GET',
      `/admin/v1/tenants/${t.team.tenantId}/audit-log?filter.action=skill.change`,
    )
    expect(log.json.data).toMatchObject([
      { before: { name: 'Tone', sizeBytes: 6 }, after: { sizeBytes: 8, version: 3 } },
      {
        before: { name: 'Tone of voice', agentRoles: ['blog_writer', 'social_writer'] },
        after: { version: 2 },
      },
    ])
    expect(log.text).not.toContain('Plain')
  })

  it('is assigned to later agents when it is for all', async () => {
    await using t = await harness()
    const { id } = (await t.add({ agentRoles: 'all' })).json
    await t.app.db.write((tx) => tx.run(`delete from tenant_agents where role = 'analyst'`))
    const push = { scope: 'all_tenants', fields: ['isAvailableOnPlans'] }
    await t.operator.send('POST', '/admin/v1/agent-configs/analyst/push', push)
    expect(await t.skillIds('analyst')).toEqual([id])
  })

  it('rejects skills of the installation and of another tenant', async () => {
    await using t = await harness()
    const other = await t.app.team()
    const global = (await t.addGlobal()).json.id
    const theirs = (await t.add({}, other)).json.id
    const forbidden = { status: 403, code: 'FORBIDDEN' }
    const unknown = { status: 404, code: 'NOT_FOUND' }
    for (const [id, wanted] of [
      [global, forbidden],
      [theirs, unknown],
    ] as const) {
      await expectNothing(t.app, () => t.send('PATCH', `/${id}`, { name: 'Mine' }), wanted)
      await expectNothing(t.app, () => t.send('DELETE', `/${id}`), wanted)
      await expectNothing(t.app, () => t.send('POST', `/${id}/versions/1/restore`), wanted)
      await expectNothing(t.app, () => t.send('GET', `/${id}/versions`), wanted)
      await expectNothing(t.app, () => t.send('GET', `/${id}/versions/1`), wanted)
      const form = { file: 'Mine' }
      const upload = () => sendForm(t.app, 'PATCH', `${path}/${id}`, t.team.adminToken, form)
      await expectNothing(t.app, upload, wanted)
    }
    await expectNothing(t.app, () => t.send('GET', `/${theirs}`), unknown)
    const choose = { token: t.team.adminToken, body: { skillIds: [theirs] } }
    const give = () => sendTo(t.app, 'PATCH', '/dashboard/v1/agents/analyst', choose)
    await expectNothing(t.app, give, { status: 400, field: 'skillIds.0' })
  })
})

describe('dashboard.skills.delete', () => {
  it('removes a skill of the tenant from every agent', async () => {
    await using t = await harness()
    const { id } = (await t.add()).json
    expect(await t.send('DELETE', `/${id}`)).toMatchObject({ status: 204, text: '' })
    expect(await t.skillIds('blog_writer')).toEqual([])
    expect(await t.names()).toEqual([])
    await expectNothing(t.app, () => t.send('DELETE', `/${id}`), { status: 404 })
  })
})

describe('dashboard.skills.versions', () => {
  it('lists the versions of a skill of the tenant, newest first, with their authors', async () => {
    await using t = await harness()
    const { id } = (await t.add()).json
    await t.send('PATCH', `/${id}`, { content: 'Plain.' })
    await t.send('POST', `/${id}/versions/1/restore`)
    expect((await t.send('GET', `/${id}/versions`)).json.data).toMatchObject([
      { version: 3, createdBy: { name: 'Ada Admin' }, note: 'Version 1 put back' },
      { version: 2, createdBy: { name: 'Ada Admin' }, note: null },
      { version: 1, createdBy: { name: 'Ada Admin' }, note: null },
    ])
  })
})

describe('dashboard.skills.version', () => {
  it('returns an earlier version, and the word-by-word difference from another one', async () => {
    await using t = await harness()
    const { id } = (await t.add()).json
    await t.send('PATCH', `/${id}`, { content: '# Tone\n\nCold and plain.' })
    const first = (await t.send('GET', `/${id}/versions/1`)).json
    expect(first).toMatchObject({ version: 1, data: { content: '# Tone\n\nWarm and plain.' } })
    expect(first).not.toHaveProperty('changes')
    const compared = await t.send('GET', `/${id}/versions/2?against=1`)
    expect(compared.json.changes).toMatchObject([
      {
        field: 'content',
        diff: [
          { change: 'same' },
          { change: 'removed', text: 'Warm' },
          { change: 'added', text: 'Cold' },
          { change: 'same' },
        ],
      },
    ])
    expect(await t.send('GET', `/${id}/versions/3`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('dashboard.skills.restore', () => {
  it('restores an earlier text as a new version, and rejects an unknown version', async () => {
    await using t = await harness()
    const { id } = (await t.add()).json
    await t.send('PATCH', `/${id}`, { content: '# Tone\n\nCold and plain.' })
    const restored = await t.send('POST', `/${id}/versions/1/restore`)
    expect(restored.json.content).toBe('# Tone\n\nWarm and plain.')
    expect((await t.send('GET', `/${id}`)).json).toEqual(restored.json)
    expect((await t.send('GET', `/${id}/versions`)).json.data).toHaveLength(3)
    await expectNothing(t.app, () => t.send('POST', `/${id}/versions/4/restore`), { status: 404 })
  })
})
