import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createTestRuntime, type Dispatch } from '../kit/runtime.ts'
import { endMember, type Member, type ServerRole, startMember } from './fleet.ts'
import { type SeededTenant, seedTenants } from './seed.ts'

/** A server that is killed when its dispatch has reached the runtime, whose answer it never reads. */
async function killedAtDispatch() {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openTestDatabase({ entities, migrations }))
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const installation = { database: database.url, dataDir, baseUrl }
  const dispatches: Dispatch[] = []
  const members: Member[] = []
  stack.defer(async () => {
    for (const member of members) await endMember(member, 'SIGKILL')
  })
  const killed = Promise.withResolvers<void>()
  const runtime = stack.use(
    await createTestRuntime(async (dispatch) => {
      dispatches.push(dispatch)
      const [first] = members
      if (members.length > 1 || !first) return 202
      await endMember(first, 'SIGKILL')
      killed.resolve()
      return 503
    }),
  )
  await seedTenants(installation, 1, async (copydesk, { tenantId, adminId }: SeededTenant) => {
    const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
    await copydesk.asSystem({ tenantId }).agents.configure('social_writer', {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: runtime.url },
    })
    const deliverables = [{ type: 'social_post' as const, quantity: 1 }]
    const body = { name: 'Spring', brief: 'Oats', deliverables }
    await copydesk.as(actor).call('dashboard.campaigns.create', { body })
  })
  const start = async (role: ServerRole) => void members.push(await startMember(role, port, installation))
  await start('all')
  await killed.promise
  const { db } = database
  const one = async (text: string) => (await db.sql.get<Record<string, unknown>>(text)) ?? {}
  const { lease_owner: dead } = await one('select lease_owner from runs')
  const owned = stack.move()
  return {
    dispatches,
    start,
    first: dispatches[0] as Dispatch,
    run: () => one('select * from runs'),
    activity: () => one('select * from activities'),
    count: async (table: string) => Number((await one(`select count(*) as n from ${table}`))['n']),
    /** Waits until the new server has taken over what the dead one held. */
    async takenOver() {
      const deadline = Date.now() + 45_000
      while ((await one('select lease_owner from runs'))['lease_owner'] === dead) {
        if (Date.now() > deadline) throw new Error('no one has taken the run over')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function deliver({ callbackUrl, taskToken }: Dispatch, text: string) {
  const response = await fetch(callbackUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${taskToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'completed', output: text, sessionId: null, usage: null, error: null }),
  })
  const { error } = (await response.json()) as { error?: { code: string } }
  return error ? `${response.status} ${error.code}` : String(response.status)
}

describe('a server that is killed right after it has dispatched a run', { timeout: 120_000 }, () => {
  it('accepts the result of that dispatch after the restart, before it has recovered the run', async () => {
    await using office = await killedAtDispatch()
    // It answers, and takes over nothing.
    await office.start('web')
    expect(await deliver(office.first, 'By the first')).toBe('200')
    expect(await office.run()).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await office.activity()).toMatchObject({ status: 'awaiting_approval' })
  })

  it('accepts that result after it has recovered the run, once, and does not dispatch the run again', async () => {
    await using office = await killedAtDispatch()
    await office.start('all')
    await office.takenOver()
    expect(await office.run()).toMatchObject({ status: 'running', attempt: 1, lease_owner: null })
    expect(await deliver(office.first, 'By the first')).toBe('200')
    expect(await office.run()).toMatchObject({ status: 'completed', attempt: 1 })
    expect(await office.activity()).toMatchObject({ status: 'awaiting_approval' })
    const stored = await office.count('outputs')
    expect(await deliver(office.first, 'By the first again')).toBe('409 CONFLICT')
    expect(await office.count('outputs')).toBe(stored)
    expect(await office.count('runs')).toBe(1)
    expect(office.dispatches).toHaveLength(1)
  })
})
