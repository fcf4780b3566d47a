import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let team: Team
const forbidden = { status: 403, code: 'FORBIDDEN', field: undefined }
const agentRole = 'blog_writer'
const params = { agentRole }

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
  const body = { concurrency: 7, adapterConfig: { timeoutSec: 44 } }
  await team.admin.call('tenant', 'PATCH /agents/:agentRole', { params, body })
})

afterAll(() => app[Symbol.asyncDispose]())

describe('tenant.agents.list', () => {
  it('lists what the dashboard lists', async () => {
    const { data } = await team.member.call('tenant', 'GET /agents')
    expect(data.find(({ role }) => role === agentRole)).toMatchObject({ concurrency: 7 })
    expect(data).toEqual((await team.member.call('dashboard', 'GET /agents')).data)
  })
})

describe('tenant.agents.get', () => {
  it('returns the settings of an agent of the own tenant', async () => {
    const seen = await team.member.call('tenant', 'GET /agents/:agentRole', { params })
    expect(seen).toMatchObject({ role: agentRole, concurrency: 7, adapterConfig: { timeoutSec: 44 } })
    const other = await app.team()
    const theirs = await other.member.call('tenant', 'GET /agents/:agentRole', { params })
    expect(theirs.concurrency).not.toBe(7)
  })
})

describe('tenant.agents.change', () => {
  it('changes an agent for the dashboard too, and requires an admin', async () => {
    const { admin, member } = await app.team()
    const change = { params, body: { concurrency: 3 } }
    expect(await refusal(member.call('tenant', 'PATCH /agents/:agentRole', change))).toEqual(forbidden)
    await admin.call('tenant', 'PATCH /agents/:agentRole', change)
    expect(await member.call('dashboard', 'GET /agents/:agentRole', { params })).toMatchObject({
      concurrency: 3,
    })
  })
})

describe('tenant.agents.test', () => {
  it('says whether the agent could run now', async () => {
    const found = await team.member.call('tenant', 'POST /agents/:agentRole/test', { params })
    expect(found).toEqual(await team.member.call('dashboard', 'POST /agents/:agentRole/test', { params }))
  })
})

describe('tenant.agents.versions', () => {
  it('lists the versions of the own tenant, newest first', async () => {
    const list = (of: Team) => of.member.call('tenant', 'GET /agents/:agentRole/versions', { params })
    expect((await list(team)).data.map(({ version }) => version)).toEqual([2, 1])
    expect((await list(await app.team())).data).toEqual([])
  })
})

describe('tenant.agents.version', () => {
  it('returns one version', async () => {
    const path = 'GET /agents/:agentRole/versions/:version'
    const one = { params: { agentRole, version: '2' } }
    const seen = await team.member.call('tenant', path, one)
    expect(seen).toEqual(await team.member.call('dashboard', path, one))
    const other = await app.team()
    expect(await refusal(other.member.call('tenant', path, one))).toMatchObject({ status: 404 })
  })
})

describe('tenant.agents.restore', () => {
  it('puts a version back, and requires an admin', async () => {
    const { admin, member } = await app.team()
    await admin.call('tenant', 'PATCH /agents/:agentRole', { params, body: { concurrency: 6 } })
    const path = 'POST /agents/:agentRole/versions/:version/restore'
    const first = { params: { agentRole, version: '1' } }
    expect(await refusal(member.call('tenant', path, first))).toEqual(forbidden)
    const restored = await admin.call('tenant', path, first)
    expect(restored.concurrency).not.toBe(6)
    expect(await member.call('dashboard', 'GET /agents/:agentRole', { params })).toEqual(restored)
  })
})
