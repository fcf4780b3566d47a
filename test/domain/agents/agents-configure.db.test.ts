import { describe, expect, it } from 'vitest'
import { effectiveAgent } from '../../../packages/core/src/domain/agents/configuration/effective-queries.ts'
import { createTestApp } from '../../kit/app.ts'
import { adminOf, parts } from '../agents.ts'
import { contents } from '../contents.ts'

const hook = {
  webhookUrl: 'https://agents.example/run',
  authHeader: 'X-Agent-Key',
  authValue: 's3cret-value',
}
const touched = ['tenant_agents', 'master_agents', 'audit_records', 'event', 'job']

async function tenant() {
  const app = await createTestApp({ worker: false })
  const { tenantId } = await app.team()
  const inside = await parts(app)
  return {
    app,
    tenantId,
    inside,
    agents: adminOf(app, tenantId),
    /** As the runs of the tenant have it. */
    effective: (role: string) => effectiveAgent(inside.adminOf(tenantId), tenantId, role),
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

describe('agents.configure', () => {
  it('overrides the given settings and inherits the rest of the default agent', async () => {
    await using t = await tenant()
    const before = await t.effective('blog_writer')
    const changed = await t.agents.configure('blog_writer', {
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
    expect(await t.effective('blog_writer')).toEqual(changed)
  })

  it('changes nothing for another tenant', async () => {
    await using t = await tenant()
    const theirs = await t.app.team()
    const before = await effectiveAgent(t.inside.system(), theirs.tenantId, 'blog_writer')
    await t.agents.configure('blog_writer', { concurrency: 5 })
    expect(await effectiveAgent(t.inside.system(), theirs.tenantId, 'blog_writer')).toEqual(before)
  })

  it('encrypts the secret for the tenant and omits it from the audit log', async () => {
    await using t = await tenant()
    const agent = await t.agents.configure('blog_writer', { adapterType: 'adapter_b', adapterConfig: hook })
    const sealed = agent.adapterConfig.authValueSealed as string
    const { encryptor } = t.inside.services
    expect(encryptor.decrypt(sealed, t.tenantId)).toBe('s3cret-value')
    expect(() => encryptor.decrypt(sealed, t.inside.newId())).toThrow(/cannot be opened/)
    const stored = await t.app.db.sql.all(`select * from tenant_agents where role = 'blog_writer'`)
    expect(JSON.stringify(stored)).toContain(sealed)
    expect(JSON.stringify(stored)).not.toContain('s3cret-value')
    const audit = await t.app.db.sql.all(`select * from audit_records where resource_type = 'agent'`)
    expect(audit).toHaveLength(1)
    expect(JSON.stringify(audit)).toContain('hasAuthValue')
    expect(JSON.stringify(audit)).not.toContain('s3cret-value')
    expect(JSON.stringify(audit)).not.toContain(sealed)
  })

  it('never sends a stored secret to another host', async () => {
    await using t = await tenant()
    await t.agents.configure('blog_writer', { adapterType: 'adapter_b', adapterConfig: hook })
    const before = await contents(t.app, touched)
    const moved = { webhookUrl: 'https://elsewhere.example/run' }
    await expect(t.agents.configure('blog_writer', { adapterConfig: moved })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'adapterConfig.authValue',
    })
    expect(await contents(t.app, touched)).toEqual(before)
    expect((await t.effective('blog_writer'))?.adapterConfig.webhookUrl).toBe(hook.webhookUrl)
    const path = { webhookUrl: 'https://agents.example/other' }
    expect((await t.agents.configure('blog_writer', { adapterConfig: path })).adapterConfig).toMatchObject(
      path,
    )
    const anew = { ...moved, authValue: 'another' }
    expect((await t.agents.configure('blog_writer', { adapterConfig: anew })).adapterConfig).toMatchObject(
      moved,
    )
  })

  it('rejects a webhook without a URL, an incomplete secret and an unknown role, and changes nothing', async () => {
    await using t = await tenant()
    const before = await contents(t.app, touched)
    await expect(t.agents.configure('blog_writer', { adapterType: 'adapter_b' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'adapterConfig.webhookUrl',
    })
    const { webhookUrl, authHeader, authValue } = hook
    for (const [half, missing] of [
      [{ webhookUrl, authHeader }, 'authValue'],
      [{ webhookUrl, authValue }, 'authHeader'],
    ] as const) {
      await expect(
        t.agents.configure('blog_writer', { adapterType: 'adapter_b', adapterConfig: half }),
      ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: `adapterConfig.${missing}` })
    }
    await expect(t.agents.configure('poet', { concurrency: 1 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await contents(t.app, touched)).toEqual(before)
    expect((await t.effective('blog_writer'))?.isGlobalDefault).toBe(true)
  })
})
