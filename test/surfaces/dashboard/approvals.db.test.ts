import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import type { Team } from '../../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { asked } from '../language/asked.ts'
import { refusal } from '../refusal.ts'
import { refused } from '../steering.ts'

let harness: AgentHarness
let theirs: Team

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await harness.app.team()
  await harness.configure({ concurrency: 10 })
})

afterAll(() => harness[Symbol.asyncDispose]())

describe('dashboard.approvals.get', () => {
  it('returns an approval with a preview of its text, and 404 to another tenant', async () => {
    const text = 'Oats. '.repeat(200)
    const { id: approvalId, activityId } = await asked(harness, text)
    const params = { approvalId }
    const seen = await harness.team.member.call('dashboard', 'GET /approvals/:approvalId', { params })
    expect(seen).toMatchObject({
      id: approvalId,
      type: 'content_review',
      status: 'pending',
      contentHash: sha256Hex(text),
      linkedActivities: [{ id: activityId, status: 'awaiting_approval' }],
    })
    const [link] = seen.linkedActivities
    expect(text.startsWith(link?.outputPreview?.slice(0, 400) ?? 'nothing')).toBe(true)
    expect(link?.outputPreview?.length).toBeLessThan(510)
    expect(link).not.toHaveProperty('output')
    const foreign = theirs.admin.call('dashboard', 'GET /approvals/:approvalId', { params })
    expect(await refusal(foreign)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('dashboard.approvals.resolve', () => {
  const resolve = (approvalId: string, body: object, client = harness.team.admin) =>
    client.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId },
      body: body as never,
    })
  const see = (approvalId: string) =>
    harness.team.member.call('dashboard', 'GET /approvals/:approvalId', { params: { approvalId } })

  it('approves a text in the name of the admin, and wakes its agent', async () => {
    const { id } = await asked(harness)
    const receipt = await resolve(id, { resolution: 'approved' })
    expect(receipt).toMatchObject({ approvalId: id, resolution: 'approved', reEnqueuedActivities: 1 })
    const resolvedBy = { id: harness.team.adminId, name: 'Ada Admin' }
    expect(await see(id)).toMatchObject({ status: 'approved', resolvedBy })
    const agent = await harness.next()
    expect(agent.dispatch.wakeReason).toBe('review_approved')
    await agent.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
  })

  it('requests a revision from the agent with the note', async () => {
    const { id } = await asked(harness)
    await resolve(id, { resolution: 'rejected', note: 'Not our voice' })
    expect(await see(id)).toMatchObject({ status: 'rejected', resolutionNote: 'Not our voice' })
    const agent = await harness.next()
    expect(agent.dispatch.prompt).toContain('Not our voice')
    await agent.fail('Enough', { family: 'invalid' })
  })

  it('rejects members, other tenants, a rejection without a note and a second verdict, and changes nothing', async () => {
    const { id } = await asked(harness)
    const approved = { resolution: 'approved' }
    expect(await refused(harness, () => resolve(id, approved, harness.team.member))).toBe('403 FORBIDDEN')
    expect(await refused(harness, () => resolve(id, approved, theirs.admin))).toBe('404 NOT_FOUND')
    const bare = { resolution: 'rejected' }
    expect(await refused(harness, () => resolve(id, bare))).toBe('400 VALIDATION_ERROR note')
    await resolve(id, { ...bare, note: 'No', endWork: true })
    expect(await refused(harness, () => resolve(id, approved))).toBe('409 CONFLICT')
  })
})
