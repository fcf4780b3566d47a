import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { dialect, silent } from '../../kit/database.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { resolve } from '../agent-harness.ts'
import { mark, type Seen, type Viewer, view, write } from './viewers.ts'

/** Someone who watches an activity, from a place where someone was before. */
const watch = (harness: AgentHarness, activityId: string, after?: string) =>
  view(harness.app, { token: harness.team.adminToken, path: `/activities/${activityId}/stream`, after })

const idOf = async (harness: AgentHarness, agent: Agent) => (await harness.activityOf(agent.runId)).id

const textOf = (seen: readonly Seen[]) => seen.map(({ data }) => data.delta ?? '').join('')
const others = (seen: readonly Seen[]) =>
  seen.filter(({ event }) => event !== 'text_delta').map(({ event, data }) => ({ event, data }))

describe('dashboard.activities.stream', () => {
  it('streams the same text to every viewer, whenever they join, without a gap or a repetition', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    let whole = ''
    const piece = async () => {
      const letter = String.fromCodePoint(97 + whole.length)
      whole += letter
      await write(agent, whole.length - 1, letter)
    }
    for (let round = 0; round < 4; round += 1) {
      await using stack = new AsyncDisposableStack()
      const joining: Array<Promise<Viewer>> = []
      for (let viewers = 0; viewers < 5; viewers += 1) {
        // The text is being streamed, and stored, while the viewer joins.
        const joined = watch(harness, id).then((viewer) => stack.use(viewer))
        joining.push(joined)
        const written = piece()
        clock.advance(100)
        await written
      }
      for (const viewer of await Promise.all(joining)) expect(await viewer.reads(whole)).toBe(whole)
    }
  })

  it('streams text that is being stored at the moment when a viewer joins', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    await write(agent, 0, 'a')
    await write(agent, 1, 'b')
    const locked = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const holding = harness.app.db.write(async (tx) => {
      // On SQLite there is one writer at a time anyway.
      if (dialect === 'postgresql') await tx.run('lock table run_deltas in exclusive mode', [])
      locked.resolve()
      await gate.promise
    })
    await locked.promise
    clock.advance(100)
    await using viewer = await watch(harness, id)
    gate.resolve()
    await holding
    await write(agent, 2, 'c')
    expect(await viewer.reads('abc')).toBe('abc')
  })

  it('resumes from every message', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order('email_newsletter')
    const id = await idOf(harness, agent)
    await using first = await watch(harness, id)
    const scene = async (pieces: readonly string[], from: number) => {
      for (const [index, delta] of pieces.entries()) await write(agent, from + index, delta)
      await mark(harness.app, agent, [first])
    }
    await scene(['Oats ', 'are '], 0)
    await scene(['grains', ', 🌾'], 2)
    const atWork = [...first.seen]
    expect(textOf(atWork)).toBe('Oats are grains, 🌾')
    const comeBack = async (after: Seen, seen: readonly Seen[]) => {
      await using again = await watch(harness, id, after.id)
      const rest = seen.slice(seen.indexOf(after) + 1)
      await harness.app.until(
        async () => others(again.seen).length >= others(rest).length,
        'the rest is told',
      )
      expect(await again.reads(textOf(rest))).toBe(textOf(rest))
      expect(others(again.seen)).toEqual(others(rest))
      return again
    }
    for (const message of atWork) await comeBack(message, atWork)

    await agent.deliver('Oats are grains')
    await harness.app.until(async () => first.ended, 'the stream has ended')
    for (const message of atWork) expect((await comeBack(message, first.seen)).ended).toBe(true)
  })

  it('streams the rest of a run that ended meanwhile, then the next one from its start', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    let place: string | undefined
    {
      await using viewer = await watch(harness, id)
      await write(agent, 0, 'Oats ')
      expect(await viewer.reads('Oats ')).toBe('Oats ')
      place = viewer.seen.at(-1)?.id
    }
    await write(agent, 1, 'are grains')
    await agent.deliver('Oats are grains')
    await using waiting = await watch(harness, id, place)
    expect(await waiting.reads('are grains')).toBe('are grains')

    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await resolve(harness.team, data[0]?.id ?? '', { resolution: 'rejected', note: 'Bolder' })
    const again = await harness.next()
    await write(again, 0, 'OATS!')
    expect(await waiting.reads('are grainsOATS!')).toBe('are grainsOATS!')
    await using late = await watch(harness, id, place)
    expect(await late.reads('are grainsOATS!')).toBe('are grainsOATS!')
    await using fresh = await watch(harness, id)
    expect(await fresh.reads('OATS!')).toBe('OATS!')
    expect(late.seen.map(({ data: { runId } }) => runId)).toEqual([agent.runId, again.runId])
  })

  it('ignores an unknown Last-Event-ID, and one of another activity', async () => {
    await using harness = await createAgentHarness()
    const [agent, other] = [await harness.order(), await harness.order()]
    const id = await idOf(harness, agent)
    await write(agent, 0, 'Oats')
    await write(other, 0, 'Rye')
    const strange = [
      '0',
      'x',
      '-1',
      `1:${agent.runId}`,
      `1:${other.runId}.1.0`,
      `1:${agent.runId}.1.999`,
      '9'.repeat(40),
    ]
    for (const after of strange) {
      await using viewer = await watch(harness, id, after)
      await mark(harness.app, agent, [viewer])
      expect(['Oats', '']).toContain(viewer.text)
    }
  })

  it('does not mix the text of two attempts: text of the older one is dropped', async () => {
    // The writer of the first process waits for a clock that stands still, as a process does that hangs.
    const [clock, laterClock] = [createTestClock(), createTestClock()]
    const said: string[] = []
    const log = { ...silent, info: (message: string) => void said.push(message), child: () => log }
    await using harness = await createAgentHarness({ clock, log, writerPaceMs: 1 })
    await harness.configure({ adapterType: 'local', model: 'builtin-writer' })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const run = await harness.app.until(
      () =>
        harness.app.db.sql.get<{ id: string; activity_id: string }>(
          'select id, activity_id from runs where prompt is not null',
        ),
      'the run has begun',
    )
    await using viewer = await watch(harness, run.activity_id)
    await harness.app.until(async () => {
      clock.advance(1)
      return viewer.seen.length > 3
    }, 'the first attempt writes')
    await harness.configure({ adapterType: 'adapter_b' })
    await harness.app.another({ clock: laterClock })
    laterClock.advance(20_000)
    const agent = await harness.next(laterClock)
    expect(await harness.run(run.id)).toMatchObject({ attempt: 2 })

    const before = viewer.seen.length
    await write(agent, 0, 'By the ')
    clock.advance(20)
    await write(agent, 1, 'second')
    clock.advance(20)
    await mark(harness.app, agent, [viewer])
    const since = viewer.seen.slice(before).filter(({ data }) => data.attempt !== undefined)
    const first = since.findIndex(({ data }) => data.attempt === 2)
    expect(textOf(since.slice(first))).toBe('By the second')
    await using late = await watch(harness, run.activity_id)
    expect(await late.reads('By the second')).toBe('By the second')
    expect(new Set(late.seen.map(({ data }) => data.attempt))).toEqual(new Set([2]))
    await harness.app.until(async () => {
      clock.advance(50)
      return said.includes('a dispatch came to nothing; the run is left to another attempt')
    }, 'the first process has come to its end')
  })
})
