import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { logOf } from '../agent-harness.ts'

type Verdict = {
  resolution: 'approved' | 'rejected' | 'revision_requested'
  note?: string
  contentHash?: string
  edited?: string
}

const resolve = ({ team }: AgentHarness, approvalId: string, body: Verdict) =>
  team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body })

const detail = ({ team }: AgentHarness, approvalId: string) =>
  team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })

async function pending({ team }: AgentHarness) {
  const query = { 'filter.status': 'pending' } as const
  const { data } = await team.reviewer.call('dm', 'GET /approvals', { query })
  return data
}

async function refused(harness: AgentHarness, act: () => Promise<unknown>) {
  const before = await harness.state()
  const error = await act().then(
    () => ({ status: 200 }),
    (problem: { status: number; code: string; field?: string; details?: unknown }) => problem,
  )
  expect(await harness.state()).toEqual(before)
  const { status, code, field, details } = error as Partial<Record<string, unknown>>
  return { status, code, field, details }
}

describe('an approval with edits', () => {
  it('creates a version by the reviewer, approves that one, and passes the edits to the next text of the kind', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('Our mega deals on oats start today')
    const [asked] = await pending(harness)
    const edited = 'Our offers on oats start today, in Bristol'
    const receipt = await resolve(harness, asked?.id ?? '', {
      resolution: 'approved',
      edited,
      contentHash: asked?.contentHash ?? '',
    })
    expect(receipt).toEqual({
      approvalId: asked?.id,
      resolution: 'approved',
      reEnqueuedActivities: 1,
      contentHash: sha256Hex(edited),
      version: 2,
    })
    const { id } = await harness.activityOf(agent.runId)
    expect(
      await harness.app.db.sql.all(
        'select version, text, author_id, author_name, author_type, run_id from outputs where activity_id = ? order by version',
        [id],
      ),
    ).toMatchObject([
      { version: 1, author_type: 'agent' },
      {
        version: 2,
        text: edited,
        author_id: harness.team.reviewerId,
        author_name: 'Rita Reviewer',
        author_type: 'human',
        run_id: null,
      },
    ])
    expect(await detail(harness, asked?.id ?? '')).toMatchObject({
      status: 'approved',
      contentHash: sha256Hex(edited),
      edited: true,
      linkedActivities: [
        { output: edited, version: 2, previousOutput: 'Our mega deals on oats start today' },
      ],
    })
    expect(await logOf(harness, id)).toContain('verdict: Rita Reviewer: approved with edits of their own')
    // The agent takes up where the reviewer left off, and has nothing more to do.
    const again = await harness.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      wakeReason: 'review_approved',
      priorOutput: edited,
    })
    await again.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    expect((await harness.activityOf(agent.runId)).status).toBe('done')
    expect(await pending(harness)).toEqual([])

    const { dispatch } = await harness.order()
    expect(dispatch.prompt).toContain('“mega deals” became “offers”; added “, in Bristol”')
  })

  it('is rejected when there is nothing to edit, and changes nothing', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const other = await harness.order()
    const { id: otherId } = await harness.activityOf(other.runId)
    const ask = async (type: 'brand_direction' | 'content_review', linkedActivityIds?: string[]) =>
      (
        await agent.call('POST /runs/:runId/actions/create-approval', {
          title: 'May we?',
          type,
          blockCurrentActivity: false,
          ...(linkedActivityIds && { linkedActivityIds }),
        })
      ).approvalId
    const direction = await ask('brand_direction')
    const without = await ask('content_review')
    const onEdited = { status: 400, code: 'VALIDATION_ERROR', field: 'edited' }
    const edit = { resolution: 'approved', edited: 'Mine' } as const
    for (const id of [direction, without])
      expect(await refused(harness, () => resolve(harness, id, edit))).toMatchObject(onEdited)
    const several = await ask('content_review', [otherId])
    await agent.deliver('A post')
    for (const [id, verdict] of [
      [several, edit],
      [without, { ...edit, edited: ' \n' }],
      [without, { ...edit, resolution: 'rejected', note: 'No' }],
      [without, { ...edit, resolution: 'revision_requested', note: 'No' }],
    ] as const)
      expect(
        await refused(harness, () => resolve(harness, id, verdict)),
        JSON.stringify(verdict),
      ).toMatchObject(onEdited)
    expect(
      await refused(harness, () => resolve(harness, without, { ...edit, contentHash: '0'.repeat(64) })),
    ).toMatchObject({ status: 409, code: 'CONFLICT', details: { reason: 'content_changed' } })
  })

  it('with the unchanged text does not count as an edit', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('A post')
    const [asked] = await pending(harness)
    const receipt = await resolve(harness, asked?.id ?? '', { resolution: 'approved', edited: 'A post' })
    expect(receipt).toMatchObject({ version: 1, contentHash: asked?.contentHash })
    expect(await detail(harness, asked?.id ?? '')).not.toHaveProperty('edited')
    expect(await harness.count(`select count(*) as n from feedback where kind = 'edit'`)).toBe(0)
    expect(await harness.count('select count(*) as n from outputs')).toBe(1)
  })
})

describe('a new version', () => {
  it('supersedes the pending approval: a new one is created, to which the old one refers', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('The first draft')
    const [first] = await pending(harness)
    await resolve(harness, first?.id ?? '', { resolution: 'rejected', note: 'Warmer' })
    const again = await harness.next()
    const { approvalId } = await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    await again.deliver('The second draft')
    const [asked, ...others] = await pending(harness)
    expect(others).toEqual([])
    expect(asked).toMatchObject({
      title: 'Like this?',
      description: 'The tone',
      type: 'content_review',
      contentHash: sha256Hex('The second draft'),
    })
    expect(await detail(harness, approvalId)).toMatchObject({
      status: 'expired',
      resolution: 'voided',
      replacedBy: asked?.id,
      contentHash: sha256Hex('The first draft'),
      linkedActivities: [{ output: 'The first draft', version: 1 }],
    })
    // A verdict on an outdated version names the current one, also without a text.
    expect(
      await refused(harness, () => resolve(harness, approvalId, { resolution: 'approved' })),
    ).toMatchObject({
      status: 409,
      code: 'CONFLICT',
      details: { reason: 'content_changed', approvalId: asked?.id },
    })
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_review')
    await resolve(harness, asked?.id ?? '', { resolution: 'approved' })
    const last = await harness.next()
    await last.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    expect((await harness.activityOf(agent.runId)).status).toBe('done')
  })

  it('and a concurrent verdict: the verdict applies to the version that was shown, or is rejected', async () => {
    await using harness = await createAgentHarness()
    for (const edited of [undefined, 'Mine']) {
      const agent = await harness.order()
      const { approvalId } = await agent.call('POST /runs/:runId/actions/create-approval', {
        title: 'Like this?',
        type: 'content_review',
        blockCurrentActivity: false,
      })
      await agent.deliver('One')
      const [asked] = (await pending(harness)).filter(({ id }) => id !== approvalId)
      await resolve(harness, asked?.id ?? '', { resolution: 'revision_requested', note: 'Another' })
      const again = await harness.next()
      const [verdict] = await Promise.allSettled([
        resolve(harness, approvalId, { resolution: 'approved', ...(edited && { edited }) }),
        again.deliver('Two'),
      ])
      const { id } = await harness.activityOf(agent.runId)
      const [row] = await harness.app.db.sql.all<{ status: string; content_hash: string }>(
        'select status, content_hash from approvals where id = ?',
        [approvalId],
      )
      const won = verdict.status === 'fulfilled'
      expect(row).toEqual({
        status: won ? 'approved' : 'expired',
        content_hash: sha256Hex(won ? (edited ?? 'One') : 'One'),
      })
      // Whatever came first, nothing is pending but about the newest text.
      const newest = await harness.app.db.sql.get<{ sha256: string }>(
        'select sha256 from outputs where activity_id = ? order by version desc limit 1',
        [id],
      )
      const open = (await pending(harness)).filter(({ linkedActivities: [linked] }) => linked?.id === id)
      for (const one of open) expect(one.contentHash).toBe(newest?.sha256)
    }
  })

  it('of a closed activity creates no approval', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('One')
    const [asked] = await pending(harness)
    await resolve(harness, asked?.id ?? '', { resolution: 'rejected', note: 'No' })
    const again = await harness.next()
    await again.call('POST /runs/:runId/actions/create-approval', {
      title: 'Like this?',
      type: 'content_review',
      blockCurrentActivity: false,
    })
    await again.call('POST /runs/:runId/actions/reassign', { toRole: 'blog_writer', reason: 'Too long' })
    await again.deliver('Two').catch(() => undefined)
    for (const { contentHash } of await pending(harness)) expect(contentHash).toBe(sha256Hex('One'))
  })
})

describe('"nothing to do"', () => {
  it('without any text does not complete an activity that needs approval: a person is asked what to write', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    const { id } = await harness.activityOf(agent.runId)
    expect(await harness.app.copydesk.asSystem().activities.get(id)).toMatchObject({
      status: 'blocked',
      blocker: { type: 'no_progress' },
    })
    await harness.team.member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId: id },
      body: { text: 'About the rye loaf', type: 'intervention_note' },
    })
    await (await harness.next()).deliver('About rye')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
  })
})
