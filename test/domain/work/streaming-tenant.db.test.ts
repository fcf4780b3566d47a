import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { dialect } from '../../kit/database.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { neighbourOf } from '../agent-harness.ts'
import { type Seen, view, write } from './viewers.ts'

const idOf = async (harness: AgentHarness, agent: Agent) => (await harness.activityOf(agent.runId)).id

const textOf = (seen: readonly Seen[], runId: string) =>
  seen.map(({ data }) => (data.runId === runId ? (data.delta ?? '') : '')).join('')

describe('dashboard.events.stream', () => {
  it('streams the text of all runs as it is written, each in its order', async () => {
    await using harness = await createAgentHarness()
    const [one, two] = [await harness.order(), await harness.order()]
    await using viewer = await view(harness.app, { token: harness.team.adminToken, path: '/events/stream' })
    await write(one, 1, 'b')
    await write(two, 0, 'x')
    await write(one, 0, 'a')
    await write(two, 1, 'y')
    await write(one, 2, 'c')
    await viewer.reads('abcxy')
    expect([textOf(viewer.seen, one.runId), textOf(viewer.seen, two.runId)]).toEqual(['abc', 'xy'])
  })

  it('resumes after the last event without a gap or a repetition, and continues with live text', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const token = harness.team.adminToken
    const path = '/events/stream'
    await using whole = await view(harness.app, { token, path })
    const events = (seen: readonly Seen[]) => seen.filter(({ event }) => event !== 'text_delta')
    let after: string | undefined
    {
      await using viewer = await view(harness.app, { token, path })
      await write(agent, 0, 'a')
      await agent.call('POST /runs/:runId/actions/create-approval', {
        title: 'May we?',
        type: 'brand_direction',
      })
      after = await harness.app.until(async () => events(viewer.seen).at(-1)?.id, 'the question is told')
    }
    await agent.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?',
    })
    await using again = await view(harness.app, { token, path, after })
    await write(agent, 1, 'b')
    expect(await again.reads('b')).toBe('b')
    expect(await whole.reads('ab')).toBe('ab')
    await harness.app.until(async () => events(again.seen).length > 0, 'what was missed is told')
    const told = events(whole.seen)
    expect(events(again.seen)).toEqual(told.slice(told.findIndex(({ id }) => id === after) + 1))
    expect(events(again.seen).map(({ event }) => event)).toEqual(['activity_blocked'])
  })
})

describe('another tenant', () => {
  it('gets nothing of it, on either stream', async () => {
    await using harness = await createAgentHarness()
    const neighbour = await neighbourOf(harness)
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    const token = neighbour.adminToken
    await expect(view(harness.app, { token, path: `/activities/${id}/stream` })).rejects.toThrow('404')
    await using theirs = await view(harness.app, { token, path: '/events/stream' })
    await using ours = await view(harness.app, { token: harness.team.adminToken, path: '/events/stream' })
    await write(agent, 0, 'Oats')
    await agent.deliver('Oats')
    expect(await ours.reads('Oats')).toBe('Oats')
    const own = await neighbour.order()
    await write(own, 0, 'Rye')
    expect(await theirs.reads('Rye')).toBe('Rye')
    const about = JSON.stringify(theirs.seen)
    for (const secret of [id, agent.runId, agent.campaignId, harness.team.tenantId])
      expect(about).not.toContain(secret)
    expect(JSON.stringify(ours.seen)).not.toContain(own.runId)
  })
})

describe('another server', () => {
  it.runIf(dialect === 'postgresql')('streams the text once, on the activity and at the tenant', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const server = await harness.app.another({ worker: false })
    const agent = await harness.order()
    const id = await idOf(harness, agent)
    const token = harness.team.adminToken
    await write(agent, 0, 'a')
    clock.advance(100)
    await using tenant = await view(harness.app, { token, path: '/events/stream', server })
    await using one = await view(harness.app, { token, path: `/activities/${id}/stream`, server })
    await write(agent, 1, 'b')
    for (const number of [2, 3, 4, 5, 6, 7]) {
      clock.advance(100)
      await write(agent, number, 'abcdefgh'.charAt(number))
    }
    clock.advance(100)
    expect(await one.reads('abcdefgh')).toBe('abcdefgh')
    expect(await tenant.reads('bcdefgh')).toMatch(/^a?bcdefgh$/)
  })

  it.runIf(dialect === 'postgresql')(
    'streams what was written while its notification connection was broken, even if nothing more follows',
    async () => {
      const clock = createTestClock()
      await using harness = await createAgentHarness({ clock })
      const server = await harness.app.another({ worker: false })
      const agent = await harness.order()
      const path = `/activities/${await idOf(harness, agent)}/stream`
      await using viewer = await view(harness.app, { token: harness.team.adminToken, path, server })
      await write(agent, 0, 'a')
      clock.advance(100)
      await viewer.reads('a')
      await harness.app.db.sql.all(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike 'listen %'`,
      )
      await write(agent, 1, 'b')
      clock.advance(100)
      expect(await viewer.reads('ab')).toBe('ab')
    },
  )
})
