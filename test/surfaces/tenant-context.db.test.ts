import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { brief, createTestApp, password, type Team, type TestApp } from '../kit/app.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { agentOf, createTestRuntime } from '../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: ApiError) => ({ status: error.status, code: error.code, field: error.field }),
  )

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

describe('tenant.context', () => {
  it('is empty at first, is whole after each change, and keeps each change as a version', async () => {
    await using app = await createTestApp({ worker: false })
    const { admin, member } = await app.team()
    const empty = await member.call('tenant', 'GET /context')
    expect(empty).toMatchObject({ version: 0, updatedOn: null, voice: '', bannedPhrases: [] })
    expect(await member.call('tenant', 'PUT /context', { body: oats })).toMatchObject({ ...oats, version: 1 })
    // The same again is no change.
    expect((await admin.call('tenant', 'PUT /context', { body: oats })).version).toBe(1)
    const second = await admin.call('tenant', 'PUT /context', { body: { voice: 'dry' } })
    expect(second).toMatchObject({ version: 2, voice: 'dry', bannedPhrases: [], products: [] })
    const { data } = await admin.call('tenant', 'GET /context/versions')
    expect(data.map(({ version, createdBy }) => [version, createdBy.name])).toEqual([
      [2, 'Ada Admin'],
      [1, 'Mia Member'],
    ])
    const detail = await admin.call('tenant', 'GET /context/versions/:version', {
      params: { version: '2' },
      query: { against: 1 },
    })
    expect(detail.changes?.map(({ field }) => field)).toContain('voice')
    await admin.call('tenant', 'POST /context/versions/:version/restore', { params: { version: '1' } })
    expect(await member.call('tenant', 'GET /context')).toMatchObject({ ...oats, version: 3 })
    const audit = await app.db.sql.all<{ action: string }>(
      `select action from audit_records where resource_type = 'brand' order by id`,
    )
    expect(audit.map(({ action }) => action)).toEqual(['context.put', 'context.put', 'context.restore'])
  })

  it('loses none of several first changes at once', async () => {
    await using app = await createTestApp({ worker: false })
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

  it('refuses what is no brand, names the field, and changes nothing', async () => {
    await using app = await createTestApp({ worker: false })
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

describe('a reviewer on /tenant/v1', () => {
  const reviewerOf = async (app: TestApp, tenantIds: string[]) => {
    const email = `many.${tenantIds.length}@test.example`
    await app.copydesk.asSystem().users.create({ email, name: 'Ron', password, role: 'reviewer', tenantIds })
    const { accessToken } = await app
      .clientFor()
      .call('auth', 'POST /login', { body: { email, password, app: 'dm-portal' } })
    return app.clientFor(accessToken)
  }
  const say = ({ admin }: Team, voice: string) => admin.call('tenant', 'PUT /context', { body: { voice } })

  it('reads the only tenant, or the one that is named, and writes none', async () => {
    await using app = await createTestApp({ worker: false })
    const [one, two, three] = [await app.team(), await app.team(), await app.team()]
    for (const [team, voice] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const)
      await say(team, voice)
    expect((await one.reviewer.call('tenant', 'GET /context')).voice).toBe('one')
    const both = await reviewerOf(app, [one.tenantId, two.tenantId])
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
    const none = await reviewerOf(app, [])
    expect(await refusal(none.call('tenant', 'GET /context'))).toEqual(unclear)
  })

  it('is not what an admin becomes who names another tenant, though assigned to it', async () => {
    await using app = await createTestApp({ worker: false })
    const [one, two] = [await app.team(), await app.team()]
    await app.copydesk.asSystem().users.assign(one.adminId, two.tenantId)
    await say(one, 'one')
    const read = (tenantId: string) => one.admin.call('tenant', 'GET /context', { query: { tenantId } })
    expect((await read(one.tenantId)).voice).toBe('one')
    expect(await refusal(read(two.tenantId))).toMatchObject({ status: 403 })
  })
})

describe('what is said of a brand', () => {
  it('reaches agents, and shows on the approval of a text that goes against it, without deciding', async () => {
    await using runtime = await createTestRuntime()
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { admin, adminId, reviewer, tenantId } = await app.team()
    await admin.call('tenant', 'PUT /context', { body: oats })
    const actor = { id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] } as const
    await app.copydesk.as({ tenantId, actor }).agents.configure('social_writer', {
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
    const agent = agentOf(app, await runtime.next())
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
    const approval = await app.until(
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
