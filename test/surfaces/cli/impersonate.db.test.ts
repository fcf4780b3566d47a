import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { keyClient } from '../../kit/key-client.ts'
import { createOperator, type Operator } from '../../kit/operator.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let operator: Operator
let ours: Team
let theirs: Team

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  operator = await createOperator(app)
  ;[ours, theirs] = [await app.team('Ours'), await app.team('Theirs')]
})

afterAll(() => app[Symbol.asyncDispose]())

const impersonate = (client: Client, tenantId = ours.tenantId) =>
  client.call('cli', 'POST /impersonate', { body: { tenantId } })

describe('cli.impersonate', () => {
  it('returns a token for read-only access to the dashboard of one tenant, with an audit record', async () => {
    for (const { admin, tenantId } of [ours, theirs])
      await admin.call('tenant', 'PUT /context', { body: { voice: tenantId } })
    const { impersonationToken, dashboardUrl } = await impersonate(operator.client)
    expect(dashboardUrl).toMatch(/^http.*\/dashboard\/v1$/)
    const viewer = app.clientFor(impersonationToken)
    expect((await viewer.call('tenant', 'GET /context')).voice).toBe(ours.tenantId)
    const before = await fingerprint(app.db)
    const write = viewer.call('tenant', 'PUT /context', { body: { voice: 'Mine' } })
    expect(await refusal(write)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    const { data } = await app.copydesk.asSystem().audit.list({ 'filter.action': 'tenant.impersonated' })
    expect(data).toMatchObject([{ actor: { id: operator.id }, after: { impersonatedBy: operator.id } }])
  })

  it('rejects everyone but super-admins, a tenant outside of the key and an unknown tenant', async () => {
    const before = await fingerprint(app.db)
    for (const client of [ours.reviewer, ours.admin])
      expect(await refusal(impersonate(client))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    const unknown = impersonate(operator.client, '01ARZ3NDEKTSV4RRFFQ69G5FAV')
    expect(await refusal(unknown)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    const narrow = await keyClient(app, operator.id, { tenantIds: [ours.tenantId] })
    const elsewhere = impersonate(narrow, theirs.tenantId)
    expect(await refusal(elsewhere)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
