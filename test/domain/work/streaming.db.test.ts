import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { mark, type Viewer, view, write } from './viewers.ts'

/** Someone who watches the activity of a run. */
async function viewerOf(harness: AgentHarness, agent: Agent): Promise<Viewer> {
  const { id } = await harness.activityOf(agent.runId)
  return view(harness.app, { token: harness.team.adminToken, path: `/activities/${id}/stream` })
}

/** Text that is stored of a run, by attempts. */
const stored = (harness: AgentHarness, runId: string) =>
  harness.app.db.sql.all<{ attempt: number; text: string }>(
    'select attempt, text from run_deltas where run_id = ? order by attempt, position',
    [runId],
  )

describe('agent.runs.stream', () => {
  it('contains text as it is written, with its run and attempt', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    expect(await write(agent, 0, 'Oats ')).toEqual({ received: true })
    await write(agent, 1, 'are 🌾 ')
    await write(agent, 2, 'grains')
    expect(await viewer.reads('Oats are 🌾 grains')).toBe('Oats are 🌾 grains')
    const { id: activityId } = await harness.activityOf(agent.runId)
    expect(viewer.seen.map(({ event, data }) => ({ event, data }))).toEqual(
      ['Oats ', 'are 🌾 ', 'grains'].map((delta) => ({
        event: 'text_delta',
        data: { delta, activityId, runId: agent.runId, attempt: 1 },
      })),
    )
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
  })

  it('rejects an invalid delta, with the field', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    const broken = [
      [{ delta: 'x' }, 'sequenceNum'],
      [{ delta: 'x', sequenceNum: -1 }, 'sequenceNum'],
      [{ delta: 'x', sequenceNum: 0.5 }, 'sequenceNum'],
      [{ delta: 'x', sequenceNum: '0' }, 'sequenceNum'],
      [{ sequenceNum: 0 }, 'delta'],
      [{ delta: 'x'.repeat(100_001), sequenceNum: 0 }, 'delta'],
      [{ delta: 'a\0b', sequenceNum: 0 }, 'delta'],
    ] as const
    for (const [body, field] of broken) {
      await expect(agent.call('POST /runs/:runId/stream', body as never)).rejects.toMatchObject({
        status: 400,
        code: 'VALIDATION_ERROR',
        field,
      })
    }
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('')
  })

  it('orders deltas that arrive out of order, and delays those with a gap before them', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    await write(agent, 0, 'a')
    for (const number of [4, 2, 3]) await write(agent, number, 'abcde'.charAt(number))
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('a')
    await write(agent, 1, 'b')
    expect(await viewer.reads('abcde')).toBe('abcde')
  })

  it('contains each number once: the first text that arrived for it', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    const pieces = [
      [0, 'a'],
      [0, 'A'],
      [2, 'c'],
      [2, 'C'],
      [1, 'b'],
      [1, 'B'],
      [0, 'a'],
      [3, 'd'],
    ] as const
    for (const [number, delta] of pieces)
      expect(await write(agent, number, delta)).toEqual({ received: true })
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('abcd')
    // Nor does a repeated one count as something that was held back.
    clock.advance(10_000)
    await write(agent, 4, 'e')
    expect(await viewer.reads('abcde')).toBe('abcde')
  })

  it('sent twice concurrently is streamed once', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    const numbers = [3, 0, 2, 1, 0, 3, 1, 2]
    await Promise.all(numbers.map((number) => write(agent, number, 'abcd'.charAt(number))))
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('abcd')
  })

  it('waits two seconds for a gap, then continues without it; late deltas are dropped', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    await write(agent, 0, 'a')
    await write(agent, 2, 'c')
    clock.advance(1_999)
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('a')
    clock.advance(1)
    expect(await viewer.reads('ac')).toBe('ac')
    await write(agent, 1, 'b')
    await write(agent, 3, 'd')
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('acd')
  })

  it('waits two seconds for each gap, however long the previous one took', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    await write(agent, 0, 'a')
    await write(agent, 2, 'c')
    clock.advance(1_900)
    await write(agent, 4, 'e')
    clock.advance(100)
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('ac')
    clock.advance(1_800)
    await write(agent, 3, 'd')
    expect(await viewer.reads('acde')).toBe('acde')
    // The gap that closes does not take the next one with it.
    await write(agent, 6, 'g')
    clock.advance(1_900)
    await write(agent, 8, 'i')
    await write(agent, 5, 'f')
    clock.advance(200)
    await mark(harness.app, agent, [viewer])
    expect(viewer.text).toBe('acdefg')
    await write(agent, 7, 'h')
    expect(await viewer.reads('acdefghi')).toBe('acdefghi')
  })

  it('may start at any number, whose predecessors may follow', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    await using viewer = await viewerOf(harness, agent)
    await write(agent, 8, 'b')
    clock.advance(1_000)
    await write(agent, 7, 'a')
    clock.advance(1_000)
    expect(await viewer.reads('ab')).toBe('ab')
    await write(agent, 9, 'c')
    expect(await viewer.reads('abc')).toBe('abc')
  })

  it('ends with the result: delayed deltas precede it, and none is accepted after it', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order('email_newsletter')
    await using viewer = await viewerOf(harness, agent)
    await write(agent, 0, 'a')
    await write(agent, 2, 'c')
    await agent.deliver('abc')
    await expect(write(agent, 1, 'b')).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    await harness.app.until(async () => viewer.ended, 'the stream has ended')
    expect(viewer.text).toBe('ac')
    expect(viewer.seen.map(({ event }) => event)).toEqual(['text_delta', 'text_delta', 'completed'])
    clock.advance(10_000)
    expect((await stored(harness, agent.runId)).map(({ text }) => text).join('')).toBe('ac')
  })

  it('concurrent with the result is streamed completely, or rejected: nothing follows the end', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order('email_newsletter')
    await using viewer = await viewerOf(harness, agent)
    const letters = 'abcdefgh'.split('')
    const writing = letters.map((letter, number) => write(agent, number, letter))
    const answers = await Promise.allSettled([
      ...writing.slice(0, 4),
      agent.deliver('Done'),
      ...writing.slice(4),
    ])
    await harness.app.until(async () => viewer.ended, 'the stream has ended')
    expect(viewer.seen.at(-1)?.event).toBe('completed')
    const taken = writing.length - answers.filter(({ status }) => status === 'rejected').length
    expect(viewer.text).toHaveLength(taken)
    expect((await stored(harness, agent.runId)).map(({ text }) => text).join('')).toBe(viewer.text)
  })
})
