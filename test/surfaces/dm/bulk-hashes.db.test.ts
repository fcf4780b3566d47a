import { createHash } from 'node:crypto'
import type { CallInput } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { asked, detail } from '../language/asked.ts'
import { refusal } from '../refusal.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const changed = 'The content has changed since it was shown'
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** A question that was looked at while there was no text yet, and that shows one now. */
async function filledMeanwhile(harness: AgentHarness) {
  const agent = await harness.order()
  const { approvalId: id } = await agent.call('POST /runs/:runId/actions/create-approval', {
    title: 'The post',
    type: 'content_review',
  })
  const seen = (await detail(harness, id)).contentHash ?? null
  await agent.deliver('Written meanwhile')
  expect((await detail(harness, id)).contentHash).toBe(hashOf('Written meanwhile'))
  return { id, seen }
}

async function setUp() {
  const harness = await createAgentHarness()
  await harness.configure({ concurrency: 5 })
  const { id } = await asked(harness, 'One')
  const { id: plain } = await asked(harness, 'Two')
  const filled = await filledMeanwhile(harness)
  const statuses = async (...ids: string[]) =>
    Promise.all(ids.map(async (one) => (await detail(harness, one)).status))
  return { harness, id, plain, filled, statuses, reviewer: harness.team.reviewer }
}

describe('hashes of what was seen', () => {
  it('refuse in dm.approvals.bulk_resolve what shows another text, and all others go on', async () => {
    const { harness, id, plain, filled, statuses, reviewer } = await setUp()
    await using _ = harness
    const bulk = (contentHashes: Record<string, string | null>, approvalIds = [filled.id, id, plain]) =>
      reviewer.call('dm', 'POST /approvals/bulk/resolve', {
        body: { approvalIds, resolution: 'approved', contentHashes },
      })
    const before = await harness.state()
    const invalid = { status: 400, code: 'VALIDATION_ERROR', field: 'contentHashes' }
    expect(await refusal(bulk({ [unknownId]: hashOf('One') }))).toMatchObject(invalid)
    expect(await refusal(bulk({ [id]: null }, [plain]))).toMatchObject(invalid)
    expect(await refusal(bulk({ [id]: 'One' }))).toMatchObject({ status: 400 })
    expect(await harness.state()).toEqual(before)
    expect(await bulk({ [id]: hashOf('Another') }, [id])).toEqual({
      resolved: 0,
      reEnqueuedActivities: 0,
      failed: [{ approvalId: id, code: 'CONFLICT', reason: changed }],
    })
    expect(await statuses(id)).toEqual(['pending'])
    expect(await bulk({ [filled.id]: filled.seen, [id]: hashOf('One') })).toMatchObject({
      resolved: 2,
      failed: [{ approvalId: filled.id, code: 'CONFLICT', reason: changed }],
    })
    expect(await statuses(filled.id, id, plain)).toEqual(['pending', 'approved', 'approved'])
  })

  it('refuse in cli.approvals.bulk_resolve what shows another text, in a dry run as well', async () => {
    const { harness, id, plain, filled, statuses, reviewer } = await setUp()
    await using _ = harness
    const bulk = (body: Partial<CallInput<'cli', 'POST /approvals/bulk-resolve'>['body']>) =>
      reviewer.call('cli', 'POST /approvals/bulk-resolve', { body: { action: 'approve', ...body } })
    const ids = [filled.id, id, plain]
    const invalid = { status: 400, code: 'VALIDATION_ERROR', field: 'contentHashes' }
    expect(await refusal(bulk({ ids, contentHashes: { [unknownId]: null } }))).toMatchObject(invalid)
    expect(await refusal(bulk({ filter: {}, contentHashes: { [id]: hashOf('One') } }))).toMatchObject(invalid)
    const seen = { [filled.id]: filled.seen, [id]: hashOf('One') }
    const items = [
      { approvalId: filled.id, result: 'error', error: changed, contentHash: hashOf('Written meanwhile') },
      { approvalId: id, result: 'resolved', contentHash: hashOf('One') },
      { approvalId: plain, result: 'resolved', contentHash: hashOf('Two') },
    ]
    const before = await harness.state()
    expect(await bulk({ ids, contentHashes: seen, dryRun: true })).toMatchObject({ items })
    expect(await harness.state()).toEqual(before)
    expect(await bulk({ ids, contentHashes: seen })).toMatchObject({ resolved: 2, skipped: 0, items })
    expect(await statuses(filled.id, id, plain)).toEqual(['pending', 'approved', 'approved'])
  })
})
