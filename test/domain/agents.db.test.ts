import { describe, expect, it } from 'vitest'
import { effectiveAgent } from '../../packages/core/src/domain/agents/effective-queries.ts'
import { configureAgent, reportAgentError } from '../../packages/core/src/domain/agents/config.ts'
import { MasterAgent, TenantAgent } from '../../packages/core/src/domain/agents/entities.ts'
import { seedMasters } from '../../packages/core/src/domain/agents/masters.ts'
import { provisionAgents } from '../../packages/core/src/domain/agents/provision.ts'
import { AgentChanges } from '../../packages/core/src/domain/agents/schemas.ts'
import { command } from '../../packages/core/src/domain/command.ts'
import { createRig } from './rig.ts'

const june = '2026-06-10T09:00:00Z'
const hook = {
  webhookUrl: 'https://agents.example/run',
  authHeader: 'X-Agent-Key',
  authValue: 's3cret-value',
}

describe('provisionAgents', () => {
  it('gives a tenant the agents of its plan, once', async () => {
    await using rig = await createRig(june)
    await command(rig.system(), async (cmd) => {
      const auditor = await cmd.em.findOneOrFail(MasterAgent, { role: 'auditor' })
      auditor.isAvailableOnPlans = ['enterprise']
    })
    const { id, ctx } = await rig.tenant()
    expect(await effectiveAgent(ctx, id, 'auditor')).toBeUndefined()
    expect(await effectiveAgent(ctx, id, 'blog_writer')).toMatchObject({
      name: 'Blog writer',
      isGlobalDefault: true,
    })
    expect(await command(rig.system(), (cmd) => provisionAgents(cmd, id))).toEqual([])
  })
})

describe('seedMasters', () => {
  it('leaves masters that were changed as they are', async () => {
    await using rig = await createRig(june)
    await command(rig.system(), async (cmd) => {
      const writer = await cmd.em.findOneOrFail(MasterAgent, { role: 'blog_writer' })
      writer.defaultModel = 'another'
    })
    await command(rig.system(), seedMasters)
    const { id, ctx } = await rig.tenant()
    expect((await effectiveAgent(ctx, id, 'blog_writer'))?.model).toBe('another')
  })
})

describe('effectiveAgent', () => {
  it('shows nobody the agents of a neighbour, nor one that is terminated', async () => {
    await using rig = await createRig(june)
    const mine = await rig.tenant()
    const theirs = await rig.tenant()
    expect(await effectiveAgent(mine.ctx, theirs.id, 'blog_writer')).toBeUndefined()
    await command(rig.system(), async (cmd) => {
      const agent = await cmd.em.findOneOrFail(TenantAgent, { tenantId: mine.id, role: 'analyst' })
      agent.status = 'terminated'
    })
    expect(await effectiveAgent(mine.ctx, mine.id, 'analyst')).toBeUndefined()
  })
})

describe('configureAgent', () => {
  it('lays what is named over the master and inherits the rest', async () => {
    await using rig = await createRig(june)
    const { id, ctx } = await rig.tenant()
    const before = await effectiveAgent(ctx, id, 'blog_writer')
    const changed = await configureAgent(ctx, 'blog_writer', {
      concurrency: 5,
      maxCostUsdPerActivity: 0.25,
      adapterConfig: { timeoutSec: 60 },
    })
    expect(changed).toEqual({
      ...before,
      concurrency: 5,
      maxCostMicrosPerActivity: 250_000,
      isGlobalDefault: false,
      adapterConfig: { ...before?.adapterConfig, timeoutSec: 60 },
    })
    expect(await effectiveAgent(ctx, id, 'blog_writer')).toEqual(changed)
  })

  it('seals the secret for the tenant and keeps it out of the audit', async () => {
    await using rig = await createRig(june)
    const { id, ctx } = await rig.tenant()
    const agent = await configureAgent(ctx, 'blog_writer', { adapterType: 'adapter_b', adapterConfig: hook })
    const sealed = agent.adapterConfig.authValueSealed as string
    expect(rig.services.box.open(sealed, id)).toBe('s3cret-value')
    expect(() => rig.services.box.open(sealed, ctx.newId())).toThrow(/./)
    const audit = await rig.db.sql.all(`select * from audit_records where resource_type = 'agent'`)
    expect(audit).toHaveLength(1)
    expect(JSON.stringify(audit)).not.toContain('s3cret-value')
    expect(JSON.stringify(audit)).not.toContain(sealed)
  })

  it('never sends a stored secret to another host', async () => {
    await using rig = await createRig(june)
    const { id, ctx } = await rig.tenant()
    await configureAgent(ctx, 'blog_writer', { adapterType: 'adapter_b', adapterConfig: hook })
    const moved = { webhookUrl: 'https://elsewhere.example/run' }
    await expect(configureAgent(ctx, 'blog_writer', { adapterConfig: moved })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'adapterConfig.authValue',
    })
    expect((await effectiveAgent(ctx, id, 'blog_writer'))?.adapterConfig.webhookUrl).toBe(hook.webhookUrl)
    const path = { webhookUrl: 'https://agents.example/other' }
    expect((await configureAgent(ctx, 'blog_writer', { adapterConfig: path })).adapterConfig).toMatchObject(
      path,
    )
  })

  it('refuses a webhook without its URL and changes nothing', async () => {
    await using rig = await createRig(june)
    const { id, ctx } = await rig.tenant()
    await expect(configureAgent(ctx, 'blog_writer', { adapterType: 'adapter_b' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'adapterConfig.webhookUrl',
    })
    expect((await effectiveAgent(ctx, id, 'blog_writer'))?.isGlobalDefault).toBe(true)
    await expect(configureAgent(ctx, 'poet', { concurrency: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('AgentChanges', () => {
  it('refuses what could not work or would leak', () => {
    const refused = (adapterConfig: object) => !AgentChanges.safeParse({ adapterConfig }).success
    expect(refused({ webhookUrl: 'https://user:pass@agents.example/' })).toBe(true)
    expect(refused({ webhookUrl: 'file:///etc/passwd' })).toBe(true)
    expect(refused({ authHeader: 'Host' })).toBe(true)
    expect(refused({ authHeader: 'X-Key\r\nX-Other' })).toBe(true)
    expect(refused({ authValue: 'one\r\ntwo' })).toBe(true)
    expect(refused({ authValueSealed: 'v1' })).toBe(true)
    expect(refused(hook)).toBe(false)
    expect(AgentChanges.safeParse({ concurrency: 11 }).success).toBe(false)
  })
})

describe('reportAgentError', () => {
  it('notes the fault; a paused agent stays paused', async () => {
    await using rig = await createRig(june)
    const { id, ctx } = await rig.tenant()
    await command(rig.system(), (cmd) => reportAgentError(cmd, id, 'analyst', 'bad key'))
    expect((await effectiveAgent(ctx, id, 'analyst'))?.status).toBe('error')
    expect(rig.events.at(-1)).toMatchObject({
      type: 'agent_error',
      data: { agentRole: 'analyst', error: 'bad key' },
    })
    await command(rig.system(), async (cmd) => {
      const agent = await cmd.em.findOneOrFail(TenantAgent, { tenantId: id, role: 'auditor' })
      agent.status = 'paused'
    })
    await command(rig.system(), (cmd) => reportAgentError(cmd, id, 'auditor', 'bad key'))
    expect((await effectiveAgent(ctx, id, 'auditor'))?.status).toBe('paused')
  })
})
