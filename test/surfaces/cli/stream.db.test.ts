import { describe, expect, it } from 'vitest'
import { neighbourOf, resolve } from '../../domain/agent-harness.ts'
import { type Seen, type Viewer, view, write } from '../../domain/work/viewers.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'
import { addReviewer } from '../steering.ts'

const textOf = (seen: readonly Seen[]) => seen.map(({ data }) => data.delta ?? '').join('')
const eventsOf = (seen: readonly Seen[]) => seen.map(({ event }) => event)
const metas = (seen: readonly Seen[]) =>
  seen.filter(({ event }) => event === 'activity_meta').map(({ data }) => data)
const idOf = async (harness: AgentHarness, agent: Agent) => (await harness.activityOf(agent.runId)).id

const read = (
  harness: AgentHarness,
  activityId: string,
  { after, token = harness.team.reviewerToken }: { after?: string | undefined; token?: string } = {},
) => view(harness.app, { surface: 'cli', token, path: `/activities/${activityId}/stream`, after })

/** Moves the clock on until the stream has ended. */
const ended = (harness: AgentHarness, viewer: Viewer, clock?: TestClock) =>
  harness.app.until(async () => {
    clock?.advance(50)
    return viewer.ended
  }, 'the stream has ended')

/** A piece of 3,000 characters that waits for its verdict. */
async function delivered(clock: TestClock, text = 'Oats and 🌾 rye. '.repeat(200).slice(0, 3_000)) {
  const harness = await createAgentHarness({ clock })
  const agent = await harness.order()
  clock.advance(4_000)
  await agent.deliver(text)
  return { harness, text, id: await idOf(harness, agent) }
}

describe('cli.activities.stream', () => {
  it('streams 500 tokens a second, with the metadata first and the final state last', async () => {
    const clock = createTestClock()
    const { harness, text, id } = await delivered(clock)
    await using _ = harness
    await using viewer = await read(harness, id)
    const shown = (length: number) => viewer.reads(text.slice(0, length))
    await harness.app.until(async () => viewer.seen.length === 1, 'it says what it is')
    expect(viewer.seen[0]).toMatchObject({
      event: 'activity_meta',
      data: {
        activityId: id,
        title: expect.any(String),
        agentRole: 'social_writer',
        status: 'awaiting_approval',
        position: 0,
      },
    })
    for (const [ms, length] of [
      [50, 100],
      [450, 1_000],
      [500, 2_000],
      [400, 2_800],
    ] as const) {
      clock.advance(ms)
      const before = await shown(length)
      // Never half of a character that takes two.
      expect([length, length - 1]).toContain(before.length)
      expect(text.startsWith(before)).toBe(true)
    }
    expect(viewer.ended).toBe(false)
    clock.advance(100)
    await ended(harness, viewer)
    expect(viewer.text).toBe(text)
    expect(viewer.seen.at(-1)).toMatchObject({
      event: 'activity_completed',
      data: {
        activityId: id,
        status: 'awaiting_approval',
        wordCount: text.match(/[a-z]+/gi)?.length,
        cost: 0,
        durationMs: expect.any(Number),
      },
    })
    expect(viewer.seen.at(-1)?.data['durationMs']).toBeGreaterThanOrEqual(4_000)
    expect(eventsOf(viewer.seen).filter((event) => event !== 'text_delta')).toEqual([
      'activity_meta',
      'activity_completed',
    ])
  })

  it('resumes from every message, at the same pace', async () => {
    const clock = createTestClock()
    const { harness, text, id } = await delivered(clock)
    await using _ = harness
    await using first = await read(harness, id)
    await ended(harness, first, clock)
    const deltas = first.seen.filter(({ event }) => event === 'text_delta')
    expect(deltas.length).toBeGreaterThan(25)
    for (const at of [0, 7, deltas.length - 2]) {
      const before = textOf(deltas.slice(0, at + 1))
      await using again = await read(harness, id, { after: deltas[at]?.id })
      await ended(harness, again, clock)
      expect(metas(again.seen)).toMatchObject([{ position: before.length }])
      expect(before + again.text).toBe(text)
    }
    await using nothing = await read(harness, id, { after: deltas.at(-1)?.id })
    await ended(harness, nothing, clock)
    expect(eventsOf(nothing.seen)).toEqual(['activity_meta', 'activity_completed'])
    await using odd = await read(harness, id, { after: 'nonsense' })
    await ended(harness, odd, clock)
    expect(odd.text).toBe(text)
  })

  it('streams the text so far at once, then live, until the run ends', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    await write(agent, 0, 'Oats ')
    await write(agent, 1, 'are ')
    await using viewer = await read(harness, id)
    expect(await viewer.reads('Oats are ')).toBe('Oats are ')
    await write(agent, 2, 'grains')
    expect(await viewer.reads('Oats are grains')).toBe('Oats are grains')
    await using late = await read(harness, id, { after: viewer.seen[1]?.id })
    await write(agent, 3, '.')
    await agent.deliver('Oats are grains.')
    await ended(harness, viewer)
    await ended(harness, late)
    expect(viewer.text).toBe('Oats are grains.')
    expect(textOf(viewer.seen.slice(0, 2)) + late.text).toBe('Oats are grains.')
    expect(metas(late.seen)).toMatchObject([{ position: 'Oats are '.length, status: 'in_progress' }])
    expect(viewer.seen.at(-1)).toMatchObject({
      event: 'activity_completed',
      data: { activityId: id, status: 'awaiting_approval', wordCount: 3 },
    })
    expect(eventsOf(viewer.seen).filter((event) => event !== 'text_delta')).toEqual([
      'activity_meta',
      'activity_completed',
    ])
  })

  it('resumes live text from the stored text, and restarts when the text is another one', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    await write(agent, 0, 'Oats ')
    await using viewer = await read(harness, id)
    expect(await viewer.reads('Oats ')).toBe('Oats ')
    const after = viewer.seen.at(-1)?.id
    await write(agent, 1, 'are grains.')
    await agent.deliver('Oats are grains.')
    await using same = await read(harness, id, { after })
    await ended(harness, same, clock)
    expect(same.text).toBe('are grains.')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await resolve(harness.team, data[0]?.id ?? '', { resolution: 'revision_requested', note: 'Shorter' })
    const second = await harness.next(clock)
    await write(second, 0, 'Rye ')
    await using other = await read(harness, id, { after })
    expect(await other.reads('are grains.Rye ')).toBe('are grains.Rye ')
    expect(metas(other.seen).map(({ position }) => position)).toEqual([5, 0])
    await second.deliver('Rye is a grain.')
    await ended(harness, other)
    await using newest = await read(harness, id, { after })
    await ended(harness, newest, clock)
    expect(metas(newest.seen)).toMatchObject([{ position: 0 }])
    expect(newest.text).toBe('Rye is a grain.')
  })

  it('ends at once when there is no text, and streams the text of a failed run', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order('blog_post')
    const id = await idOf(harness, agent)
    const { data } = await harness.team.reviewer.call('cli', 'GET /activities', {
      query: { 'filter.status': 'created' },
    })
    await using empty = await read(harness, data[0]?.id ?? '')
    await ended(harness, empty)
    expect(empty.seen).toMatchObject([
      { event: 'activity_meta', data: { status: 'created' } },
      { event: 'activity_completed', data: { status: 'created', wordCount: 0, cost: 0, durationMs: 0 } },
    ])
    await write(agent, 0, 'Half a')
    await agent.fail('The model refuses', { family: 'invalid' })
    await using left = await read(harness, id)
    await ended(harness, left, clock)
    expect(left.text).toBe('Half a')
    expect(left.seen.at(-1)?.data).toMatchObject({ status: 'failed', wordCount: 2 })
  })

  it('can be followed by the client to its end', async () => {
    const clock = createTestClock()
    const { harness, text, id } = await delivered(clock, 'Oats')
    await using _ = harness
    const events: string[] = []
    const moving = setInterval(() => clock.advance(50), 5)
    for await (const { event } of harness.team.reviewer.stream('cli', 'GET /activities/:id/stream', {
      params: { id },
    }))
      events.push(event)
    clearInterval(moving)
    expect(events).toEqual(['activity_meta', 'text_delta', 'activity_completed'])
    expect(text).toBe('Oats')
  })

  it('rejects other callers, counts as a stream, and ends with the assignment, also for a key', async () => {
    await using harness = await createAgentHarness()
    const theirs = await neighbourOf(harness)
    const agent = await theirs.order()
    const id = await idOf(harness, agent)
    expect(
      await refusal(harness.team.reviewer.call('cli', 'GET /activities/:id/stream', { params: { id } })),
    ).toMatchObject({ status: 404 })
    const both = await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])
    const { key } = await harness.app.copydesk
      .asSystem()
      .apiKeys.create({ userId: both.id, name: 'Terminal' })
    const viewers: Viewer[] = []
    for (const token of [both.token, key, both.token, key, both.token])
      viewers.push(await read(harness, id, { token }))
    expect(
      await refusal(both.client.call('cli', 'GET /activities/:id/stream', { params: { id } })),
    ).toMatchObject({ status: 429, code: 'THROTTLED' })
    await write(agent, 0, 'Before')
    for (const viewer of viewers) expect(await viewer.reads('Before')).toBe('Before')
    await harness.app.copydesk.asSystem().users.unassign(both.id, theirs.tenantId)
    await write(agent, 1, ' and after')
    for (const viewer of viewers) {
      await ended(harness, viewer)
      expect(viewer.text).toBe('Before')
      await viewer[Symbol.asyncDispose]()
    }
  })
})
