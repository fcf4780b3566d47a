import { createClient } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import type { AssistantAccess } from '../../packages/core/src/kernel/context.ts'
import { brief, createTestApp, type Team, type TestApp } from '../kit/app.ts'
import { createOperator } from '../kit/operator.ts'

const assistant = { 'x-copydesk-assistant': 'claude-desktop 1.2' }
const oneSocialPost = { name: 'Spring', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }

async function pending(app: TestApp, team: Team) {
  await team.admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
  return app.until(async () => {
    const { data } = await team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    return data[0]?.id
  }, 'an approval is pending')
}

/** What an assistant does with a key of the reviewer. */
async function through(app: TestApp, userId: string, assistantAccess?: AssistantAccess) {
  const given = { userId, name: 'Assistant', ...(assistantAccess && { assistantAccess }) }
  const made = await app.copydesk.asSystem().apiKeys.create(given)
  const client = (headers: Record<string, string>) =>
    createClient({
      baseUrl: 'http://copydesk.test',
      apiKey: made.key,
      fetch: (url, init) => {
        const request = new Request(url, init)
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
        return app.copydesk.fetch(request)
      },
    })
  return { made, marked: client(assistant), plain: client({}) }
}

const forbidden = { status: 403, code: 'FORBIDDEN' }
const approve = (id: string) => ({ params: { id }, body: { resolution: 'approved' as const } })

describe('cli.me', () => {
  it('returns the principal of a credential, and what an assistant may do with it', async () => {
    await using app = await createTestApp({ worker: false })
    const { reviewerId, reviewer } = await app.team()
    const who = { id: reviewerId, name: 'Rita Reviewer', role: 'reviewer' }
    for (const access of ['none', 'read', 'decide'] as const) {
      const { plain } = await through(app, reviewerId, access)
      const wanted = { ...who, credential: 'api_key', assistantAccess: access }
      expect(await plain.call('cli', 'GET /me')).toMatchObject(wanted)
    }
    const { plain } = await through(app, reviewerId)
    expect(await plain.call('cli', 'GET /me')).toMatchObject({ assistantAccess: 'read' })
    const wanted = { ...who, credential: 'token', assistantAccess: 'read' }
    expect(await reviewer.call('cli', 'GET /me')).toMatchObject(wanted)
  })
})

describe('an assistant', () => {
  it('can read but not decide, unless the key allows it, and is named in audit records', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const operator = await createOperator(app)
    const id = await pending(app, team)
    const reader = await through(app, team.reviewerId)
    const decider = await through(app, team.reviewerId, 'decide')
    const nobody = await through(app, team.reviewerId, 'none')
    expect(await reader.marked.call('cli', 'GET /approvals/:id', { params: { id } })).toMatchObject({ id })
    const resolve = 'POST /approvals/:id/resolve'
    await expect(reader.marked.call('cli', resolve, approve(id))).rejects.toMatchObject(forbidden)
    await expect(nobody.marked.call('cli', resolve, approve(id))).rejects.toMatchObject(forbidden)
    await expect(nobody.marked.call('cli', 'GET /me')).rejects.toMatchObject(forbidden)
    const claim = { params: { id } }
    await expect(reader.marked.call('cli', 'DELETE /approvals/:id/claim', claim)).rejects.toMatchObject(
      forbidden,
    )
    const before = await team.reviewer.call('cli', 'GET /approvals/:id', { params: { id } })
    expect(before.status).toBe('pending')
    await decider.marked.call('cli', resolve, approve(id))
    const log = await operator.send('GET', `/admin/v1/tenants/${team.tenantId}/audit-log`)
    const found = log.json.data.filter(({ action }: { action: string }) => action === 'approval.resolve')
    expect(found).toMatchObject([
      { assistant: 'claude-desktop 1.2', actor: { id: team.reviewerId, name: 'Rita Reviewer' } },
    ])
    const others = log.json.data.filter(({ action }: { action: string }) => action !== 'approval.resolve')
    expect(others.map((each: { assistant: unknown }) => each.assistant)).not.toContain('claude-desktop 1.2')
  })

  it('can only read with the login of a user who may decide', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const id = await pending(app, team)
    const send = (headers: Record<string, string>) =>
      app.fetch(`/dm/v1/approvals/${id}/resolve`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${team.reviewerToken}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ resolution: 'approved' }),
      })
    expect((await send(assistant)).status).toBe(403)
    expect((await send({})).status).toBe(200)
  })

  it('has the right that the key was created with, which is listed and in the audit record', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { reviewerId: userId } = await app.team()
    const body = { userId, name: 'Assistant', assistantAccess: 'decide' }
    const { json, status } = await operator.send('POST', '/admin/v1/api-keys', body)
    expect({ status, right: json.assistantAccess }).toEqual({ status: 201, right: 'decide' })
    const list = await operator.send('GET', '/admin/v1/api-keys')
    expect(list.json.data).toMatchObject([{ id: json.id, assistantAccess: 'decide' }])
    const wrong = { ...body, assistantAccess: 'everything' }
    const refused = await operator.send('POST', '/admin/v1/api-keys', wrong)
    expect(refused).toMatchObject({ status: 400, field: 'assistantAccess' })
    const { data } = await app.copydesk.asSystem().audit.list({ 'filter.action': 'api_key.create' })
    expect(data).toMatchObject([{ after: { assistantAccess: 'decide' }, assistant: null }])
  })
})
