import { describe, expect, it } from 'vitest'
import { effectiveAgent } from '../../../packages/core/src/domain/agents/configuration/effective-queries.ts'
import { provisionAgents } from '../../../packages/core/src/domain/agents/configuration/provision.ts'
import { AgentChanges } from '../../../packages/core/src/domain/agents/configuration/schemas.ts'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { createTestApp } from '../../kit/app.ts'
import { adminOf, parts } from '../agents.ts'
import { contents } from '../contents.ts'

const quiet = { worker: false } as const

describe('provisionAgents', () => {
  it('creates the agents of its plan for a tenant, once', async () => {
    await using app = await createTestApp(quiet)
    await app.db.write((tx) =>
      tx.run(`update master_agents set is_available_on_plans = '["enterprise"]' where role = 'auditor'`),
    )
    const { tenants } = app.copydesk.asSystem()
    const rolesOf = async (tenantId: string) =>
      (
        await app.db.sql.all<{ role: string }>(
          'select role from tenant_agents where tenant_id = ? order by role',
          [tenantId],
        )
      ).map(({ role }) => role)
    const masters = (
      await app.db.sql.all<{ role: string }>('select role from master_agents order by role')
    ).map(({ role }) => role)
    const small = await tenants.create({ name: 'Small', plan: 'pro' })
    const large = await tenants.create({ name: 'Large', plan: 'enterprise' })
    expect(await rolesOf(large.id)).toEqual(masters)
    expect(await rolesOf(small.id)).toEqual(masters.filter((role) => role !== 'auditor'))
    await expect(adminOf(app, small.id).configure('auditor', { concurrency: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await adminOf(app, large.id).configure('auditor', { concurrency: 1 })).toMatchObject({
      name: 'Auditor',
    })

    await using inside = await parts(app)
    const before = await contents(app, ['tenant_agents'])
    expect(await transact(inside.system(), (txn) => provisionAgents(txn, large.id))).toEqual([])
    expect(await contents(app, ['tenant_agents'])).toEqual(before)
  })

  it('adds new agents of a plan and keeps what the tenant has set', async () => {
    await using app = await createTestApp(quiet)
    await app.db.write((tx) =>
      tx.run(`update master_agents set is_available_on_plans = '[]' where role = 'auditor'`),
    )
    const { tenantId } = await app.team()
    const changed = await adminOf(app, tenantId).configure('analyst', { concurrency: 7 })
    await app.db.write((tx) =>
      tx.run(`update master_agents set is_available_on_plans = '["pro"]' where role = 'auditor'`),
    )
    await using inside = await parts(app)
    const system = inside.system()
    expect(await transact(system, (txn) => provisionAgents(txn, tenantId))).toEqual(['auditor'])
    expect(await effectiveAgent(system, tenantId, 'analyst')).toEqual(changed)
    expect(await effectiveAgent(system, tenantId, 'auditor')).toMatchObject({ isGlobalDefault: true })
  })

  it('returns 404 for a tenant outside of the scope', async () => {
    await using app = await createTestApp(quiet)
    const mine = await app.team()
    const theirs = await app.team()
    await app.db.write((tx) => tx.run('delete from tenant_agents where tenant_id = ?', [theirs.tenantId]))
    await using inside = await parts(app)
    const before = await contents(app, ['tenant_agents'])
    const ctx = inside.adminOf(mine.tenantId)
    await expect(transact(ctx, (txn) => provisionAgents(txn, theirs.tenantId))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await contents(app, ['tenant_agents'])).toEqual(before)
  })
})

describe('setUp', () => {
  it('keeps changed default agents and templates', async () => {
    await using app = await createTestApp(quiet)
    await app.db.write(async (tx) => {
      await tx.run(`update master_agents set default_model = 'another' where role = 'blog_writer'`)
      await tx.run(`update activity_templates set name = 'Ours' where deliverable_type = 'blog_post'`)
    })
    const tables = ['master_agents', 'activity_templates']
    const before = await contents(app, tables)
    await app.copydesk.setUp()
    expect(await contents(app, tables)).toEqual(before)
    const { tenantId } = await app.team()
    const agent = await adminOf(app, tenantId).configure('blog_writer', { concurrency: 1 })
    expect(agent.model).toBe('another')
  })

  it('creates missing default agents and templates', async () => {
    await using app = await createTestApp(quiet)
    const roles = () => app.db.sql.all('select role, name from master_agents order by role')
    const types = () =>
      app.db.sql.all('select deliverable_type, name from activity_templates order by deliverable_type')
    const before = { roles: await roles(), types: await types() }
    await app.db.write(async (tx) => {
      await tx.run(`delete from master_agents where role = 'analyst'`)
      await tx.run(`delete from activity_templates where deliverable_type = 'backlink'`)
    })
    await app.copydesk.setUp()
    expect({ roles: await roles(), types: await types() }).toEqual(before)
  })
})

describe('effectiveAgent', () => {
  it('equals the default agent until the tenant changes something', async () => {
    await using app = await createTestApp(quiet)
    const { tenantId } = await app.team()
    await using inside = await parts(app)
    expect(await effectiveAgent(inside.adminOf(tenantId), tenantId, 'blog_writer')).toMatchObject({
      name: 'Blog writer',
      status: 'active',
      isGlobalDefault: true,
    })
  })

  it('omits agents of other tenants, and terminated ones', async () => {
    await using app = await createTestApp(quiet)
    const mine = await app.team()
    const theirs = await app.team()
    await using inside = await parts(app)
    const ctx = inside.adminOf(mine.tenantId)
    expect(await effectiveAgent(ctx, theirs.tenantId, 'blog_writer')).toBeUndefined()
    expect(await effectiveAgent(ctx, mine.tenantId, 'analyst')).toBeDefined()
    await app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where tenant_id = ? and role = 'analyst'`, [
        mine.tenantId,
      ]),
    )
    expect(await effectiveAgent(ctx, mine.tenantId, 'analyst')).toBeUndefined()
    await expect(adminOf(app, mine.tenantId).configure('analyst', { concurrency: 1 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('AgentChanges', () => {
  it('rejects settings that could not work or would leak a secret', () => {
    const refused = (adapterConfig: object) => !AgentChanges.safeParse({ adapterConfig }).success
    expect(refused({ webhookUrl: 'https://user:pass@agents.example/' })).toBe(true)
    expect(refused({ webhookUrl: 'file:///etc/passwd' })).toBe(true)
    expect(refused({ authHeader: 'Host' })).toBe(true)
    expect(refused({ authHeader: 'X-Key\r\nX-Other' })).toBe(true)
    expect(refused({ authValue: 'one\r\ntwo' })).toBe(true)
    expect(refused({ authValueSealed: 'v1' })).toBe(true)
    const hook = { webhookUrl: 'https://agents.example/run', authHeader: 'X-Agent-Key', authValue: 's3cret' }
    expect(refused(hook)).toBe(false)
    expect(AgentChanges.safeParse({ concurrency: 11 }).success).toBe(false)
  })
})
