import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { asked, detail } from '../language/asked.ts'
import { refused } from '../steering.ts'

let harness: AgentHarness

beforeAll(async () => {
  harness = await createAgentHarness()
  await harness.configure({ concurrency: 10 })
})
afterAll(() => harness[Symbol.asyncDispose]())

const resolve = (approvalId: string, body: object, reviewer = harness.team.reviewer) =>
  reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body: body as never })

const nothingMore = { status: 'success', metadata: { nothingToDo: true } } as const

describe('dm.approvals.resolve', () => {
  it('approves the version that was seen, and wakes its agent once', async () => {
    const { id, activityId } = await asked(harness, 'A post')
    const contentHash = sha256Hex('A post')
    expect(await resolve(id, { resolution: 'approved', contentHash })).toEqual({
      approvalId: id,
      resolution: 'approved',
      reEnqueuedActivities: 1,
      contentHash,
      version: 1,
    })
    expect(await detail(harness, id)).toMatchObject({
      status: 'approved',
      resolvedBy: { id: harness.team.reviewerId, name: 'Rita Reviewer' },
    })
    const agent = await harness.next()
    expect(agent.dispatch.wakeReason).toBe('review_approved')
    await agent.call('POST /runs/:runId/result', nothingMore)
    expect(await harness.activityOf(agent.runId)).toMatchObject({ id: activityId, status: 'done' })
    expect(harness.runtime.waiting).toBe(0)
  })

  it('requests a revision from the agent with the note', async () => {
    const { id } = await asked(harness)
    const receipt = await resolve(id, { resolution: 'revision_requested', note: 'Shorter' })
    expect(receipt).toMatchObject({ resolution: 'revision_requested', reEnqueuedActivities: 1 })
    expect(await detail(harness, id)).toMatchObject({ status: 'rejected', resolutionNote: 'Shorter' })
    const again = await harness.next()
    expect(again.dispatch.wakeReason).toBe('review_feedback')
    expect(again.dispatch.prompt).toContain('Shorter')
    await again.fail('Enough', { family: 'invalid' })
  })

  it('cancels the activity for good when a rejection requests it', async () => {
    const { id, agent, activityId } = await asked(harness)
    const receipt = await resolve(id, { resolution: 'rejected', note: 'Not wanted', endWork: true })
    expect(receipt).toMatchObject({ reEnqueuedActivities: 0, endedActivities: [activityId] })
    expect(await harness.activityOf(agent.runId)).toMatchObject({ status: 'failed' })
    expect(harness.runtime.waiting).toBe(0)
  })

  it('rejects a missing note, another version, a second verdict and other tenants, and changes nothing', async () => {
    const { id } = await asked(harness)
    const approved = { resolution: 'approved' }
    const { reviewer: stranger } = await harness.app.team()
    for (const [body, answer] of [
      [{ resolution: 'rejected' }, '400 VALIDATION_ERROR note'],
      [{ resolution: 'revision_requested', note: ' ' }, '400 VALIDATION_ERROR note'],
      [{ resolution: 'approved', endWork: true }, '400 VALIDATION_ERROR endWork'],
      [{ resolution: 'approved', selectedOption: 'Warm' }, '400 VALIDATION_ERROR selectedOption'],
      [{ resolution: 'approved', contentHash: sha256Hex('Another') }, '409 CONFLICT'],
    ] as const)
      expect(await refused(harness, () => resolve(id, body))).toBe(answer)
    expect(await refused(harness, () => resolve(id, approved, stranger))).toBe('404 NOT_FOUND')
    await resolve(id, approved)
    await (await harness.next()).call('POST /runs/:runId/result', nothingMore)
    expect(await refused(harness, () => resolve(id, { resolution: 'rejected', note: 'No' }))).toBe(
      '409 CONFLICT',
    )
    expect((await detail(harness, id)).status).toBe('approved')
  })

  it('requires one of the options when an agent asks for a choice', async () => {
    const agent = await harness.order()
    const { approvalId } = await agent.call('POST /runs/:runId/actions/create-approval', {
      title: 'Which?',
      type: 'brand_direction',
      options: ['Warm', 'Cold'],
    })
    expect(await refused(harness, () => resolve(approvalId, { resolution: 'approved' }))).toBe(
      '422 UNPROCESSABLE selectedOption',
    )
    await resolve(approvalId, { resolution: 'approved', selectedOption: 'Cold' })
    const kept = 'select selected_option from approvals where id = ?'
    expect(await harness.app.db.sql.get(kept, [approvalId])).toEqual({ selected_option: 'Cold' })
    await agent.deliver('A cold post')
  })
})
