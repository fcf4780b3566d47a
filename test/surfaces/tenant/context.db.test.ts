import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brief, createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { agentOf, createTestRuntime } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'

const oats = {
  company: { name: 'Hearth & Oat', description: 'A bakery in Bristol.' },
  products: [{ name: 'Morning Oats', description: 'Rolled oats' }],
  audiences: [{ name: 'Early risers', description: '' }],
  competitors: [{ name: 'Big Bread', description: '' }],
  voice: 'warm and plain',
  bannedPhrases: ['best ever'],
  claims: [
    { phrase: 'no added sugar', proof: null },
    { phrase: 'baked overnight', proof: 'The night shift' },
  ],
}

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

/** A tenant that has said `oats`, and then only that its voice is dry. */
async function twice() {
  const team = await app.team()
  await team.member.call('tenant', 'PUT /context', { body: oats })
  await team.admin.call('tenant', 'PUT /context', { body: { voice: 'dry' } })
  return team
}

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }

describe('tenant.context.get', () => {
  it('returns an empty brand with version 0 by default, then the latest', async () => {
    const { member, reviewer } = await app.team()
    const empty = await member.call('tenant', 'GET /context')
    expect(empty).toMatchObject({ version: 0, updatedOn: null, voice: '', bannedPhrases: [] })
    const said = await member.call('tenant', 'PUT /context', { body: oats })
    expect(said).toMatchObject({ ...oats, version: 1, updatedOn: expect.any(String) })
    expect(await reviewer.call('tenant', 'GET /context')).toEqual(said)
  })
})

describe('tenant.context.put', () => {
  it('replaces the whole brand with an audit record of each change; an equal brand is no change', async () => {
    const { admin, member, tenantId } = await app.team()
    expect(await member.call('tenant', 'PUT /context', { body: oats })).toMatchObject({ ...oats, version: 1 })
    expect((await admin.call('tenant', 'PUT /context', { body: oats })).version).toBe(1)
    const second = await admin.call('tenant', 'PUT /context', { body: { voice: 'dry' } })
    expect(second).toMatchObject({ version: 2, voice: 'dry', bannedPhrases: [], products: [] })
    const audit = await app.db.sql.all<{ action: string }>(
      `select action from audit_records where resource_type = 'brand' and tenant_id = ?`,
      [tenantId],
    )
    expect(audit.map(({ action }) => action)).toEqual(['context.put', 'context.put'])
  })

  it('loses none of several concurrent first changes', async () => {
    const { admin, member } = await app.team()
    await Promise.all(
      [admin, member, admin, member].map((person, n) =>
        person.call('tenant', 'PUT /context', { body: { voice: `voice ${n}` } }),
      ),
    )
    const { data } = await admin.call('tenant', 'GET /context/versions')
    expect(data.map(({ version }) => version)).toEqual([4, 3, 2, 1])
    expect((await admin.call('tenant', 'GET /context')).version).toBe(4)
  })

  it('rejects invalid input, names the field, and changes nothing', async () => {
    const { admin } = await app.team()
    const before = await fingerprint(app.db)
    const put = (body: object) => refusal(admin.call('tenant', 'PUT /context', { body: body as never }))
    const wrong = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    expect(await put({ bannedPhrases: [' '] })).toEqual(wrong('bannedPhrases.0'))
    expect(await put({ products: [{ description: 'x' }] })).toEqual(wrong('products.0.name'))
    expect(await put({ claims: [{ phrase: 'x', proof: '' }] })).toEqual(wrong('claims.0.proof'))
    expect(await put({ slogan: 'x' })).toEqual(wrong('slogan'))
    expect(await put({ bannedPhrases: Array.from({ length: 301 }, () => 'x') })).toEqual(
      wrong('bannedPhrases'),
    )
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('tenant.context.versions', () => {
  it('lists the versions, newest first, with their authors', async () => {
    const { reviewer } = await twice()
    const page = await reviewer.call('tenant', 'GET /context/versions', { query: { limit: 1 } })
    const next = { limit: 1, cursor: page.pagination.nextCursor ?? '' }
    const { data } = await reviewer.call('tenant', 'GET /context/versions', { query: next })
    expect([...page.data, ...data].map(({ version, createdBy }) => [version, createdBy.name])).toEqual([
      [2, 'Ada Admin'],
      [1, 'Mia Member'],
    ])
  })
})

describe('tenant.context.version', () => {
  it('returns an earlier version, and the fields that differ from another version', async () => {
    const { reviewer } = await twice()
    const read = (version: string, query: { against?: number } = {}) =>
      reviewer.call('tenant', 'GET /context/versions/:version', { params: { version }, query })
    const first = await read('1')
    expect(first).toMatchObject({ version: 1, data: oats })
    expect(first).not.toHaveProperty('changes')
    const { against, changes } = await read('2', { against: 1 })
    expect(against).toBe(1)
    const voice = { before: 'warm and plain', after: 'dry' }
    expect(changes?.find(({ field }) => field === 'voice')).toMatchObject(voice)
    expect(await refusal(read('3'))).toEqual(missing)
    expect(await refusal(read('2', { against: 3 }))).toEqual(missing)
  })
})

describe('tenant.context.restore', () => {
  const restore = (client: Client, version: string) =>
    client.call('tenant', 'POST /context/versions/:version/restore', { params: { version } })

  it('restores an earlier brand as a new version, with an audit record', async () => {
    const { member, tenantId } = await twice()
    const restored = await restore(member, '1')
    expect(restored).toMatchObject({ ...oats, version: 3 })
    expect(await member.call('tenant', 'GET /context')).toEqual(restored)
    const [latest] = (await member.call('tenant', 'GET /context/versions')).data
    expect(latest).toMatchObject({
      version: 3,
      createdBy: { name: 'Mia Member' },
      note: 'Version 1 put back',
    })
    const audit = await app.db.sql.all(
      `select id from audit_records where action = 'context.restore' and tenant_id = ?`,
      [tenantId],
    )
    expect(audit).toHaveLength(1)
  })

  it('rejects reviewers and an unknown version, and changes nothing', async () => {
    const { admin, reviewer } = await twice()
    const before = await fingerprint(app.db)
    expect(await refusal(restore(reviewer, '1'))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await refusal(restore(admin, '3'))).toEqual(missing)
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('a reviewer on /tenant/v1', () => {
  const reviewerOf = async (tenantIds: string[]) => {
    const email = `many.${tenantIds.length}@test.example`
    await app.copydesk.asSystem().users.create({ email, name: 'Ron', password, role: 'reviewer', tenantIds })
    const { accessToken } = await app
      .clientFor()
      .call('auth', 'POST /login', { body: { email, password, app: 'dm-portal' } })
    return app.clientFor(accessToken)
  }
  const say = ({ admin }: Team, voice: string) => admin.call('tenant', 'PUT /context', { body: { voice } })

  it('reads the only or the named tenant, and cannot write', async () => {
    const [one, two, three] = [await app.team(), await app.team(), await app.team()]
    for (const [team, voice] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const)
      await say(team, voice)
    expect((await one.reviewer.call('tenant', 'GET /context')).voice).toBe('one')
    const both = await reviewerOf([one.tenantId, two.tenantId])
    const read = (query: { tenantId?: string }, headers: Record<string, string> = {}) =>
      both.call('tenant', 'GET /context', { query, headers }).then(({ voice }) => voice)
    expect(await read({ tenantId: two.tenantId })).toBe('two')
    expect(await read({}, { 'x-tenant-id': one.tenantId })).toBe('one')
    const unclear = { status: 400, code: 'VALIDATION_ERROR', field: 'tenantId' }
    expect(await refusal(read({}))).toEqual(unclear)
    expect(await refusal(read({ tenantId: one.tenantId }, { 'x-tenant-id': two.tenantId }))).toEqual(unclear)
    const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
    expect(await refusal(read({ tenantId: three.tenantId }))).toEqual(forbidden)
    expect(await refusal(one.reviewer.call('tenant', 'PUT /context', { body: {} }))).toEqual(forbidden)
    const none = await reviewerOf([])
    expect(await refusal(none.call('tenant', 'GET /context'))).toEqual(unclear)
  })

  it('cannot be impersonated by an admin who names another tenant, even if assigned to it', async () => {
    const [one, two] = [await app.team(), await app.team()]
    await app.copydesk.asSystem().users.assign(one.adminId, two.tenantId)
    await say(one, 'one')
    const read = (tenantId: string) => one.admin.call('tenant', 'GET /context', { query: { tenantId } })
    expect((await read(one.tenantId)).voice).toBe('one')
    expect(await refusal(read(two.tenantId))).toMatchObject({ status: 403 })
  })
})

describe('a banned phrase of the brand', () => {
  it('is passed to agents, and reported on the approval of a text that contains it, without deciding', async () => {
    await using runtime = await createTestRuntime()
    await using working = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { admin, reviewer, tenantId } = await working.team()
    await admin.call('tenant', 'PUT /context', { body: oats })
    await working.copydesk.asSystem({ tenantId }).agents.configure('social_writer', {
      adapterType: 'adapter_b',
      adapterConfig: {
        webhookUrl: runtime.url,
        promptTemplate:
          '{{company}}, {{brand_voice}}: {{products}} for {{audiences}}, not {{competitors}}; {{banned_phrases}}; {{claims}}',
      },
    })
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const agent = agentOf(working, await runtime.next())
    const told = await agent.call('GET /runs/:runId/context')
    expect(told.systemPrompt).toBe(
      'Hearth & Oat, warm and plain: Morning Oats for Early risers, not Big Bread; best ever; no added sugar; baked overnight',
    )
    for (const words of [
      'A bakery in Bristol.',
      '- best ever',
      'no added sugar: no proof',
      'The night shift',
    ])
      expect(told.prompt).toContain(words)
    await agent.deliver('The **best\never** oats: no added sugar, baked overnight. Best ever!')
    const checks = [
      { kind: 'banned_phrase', phrase: 'best ever', count: 2 },
      { kind: 'unproven_claim', phrase: 'no added sugar', count: 1 },
    ]
    const approval = await working.until(
      async () => (await admin.call('dashboard', 'GET /approvals')).data[0],
      'an approval is there',
    )
    expect(approval).toMatchObject({ status: 'pending', checks })
    const params = { approvalId: approval.id }
    // They are of the version: what is said of the brand later changes nothing about it.
    await admin.call('tenant', 'PUT /context', { body: {} })
    expect(await reviewer.call('dm', 'GET /approvals/:approvalId', { params })).toMatchObject({ checks })
    const body = { resolution: 'approved' } as const
    await admin.call('dashboard', 'POST /approvals/:approvalId/resolve', { params, body })
    expect((await admin.call('dashboard', 'GET /approvals')).data[0]).toMatchObject({
      status: 'approved',
      checks,
    })
  })
})
