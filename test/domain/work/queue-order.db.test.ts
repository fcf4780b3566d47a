import { describe, expect, it } from 'vitest'
import { claimRuns } from '../../../packages/core/src/domain/work/runs/queue/claim-queries.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { dialect } from '../../kit/database.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { parts } from '../agents.ts'
import { place } from './budgets.ts'

const minute = 60_000

/** A campaign is active once all of it is planned. */
const startable = `select count(*) as n from runs r join campaigns c on c.id = r.campaign_id where r.open = ? and c.status = 'active'`

/** Has an agent in progress ask for a part of the researcher. */
const ask = (agent: Agent, title: string, priority: 'normal' | 'high') =>
  agent.call('POST /runs/:runId/actions/create-subtask', {
    title,
    agentRole: 'researcher',
    prompt: title,
    priority,
  })

/** What the researcher, who does one thing at a time, is given next. */
async function nextTitle(
  harness: AgentHarness,
  clock: TestClock,
  before?: Agent,
): Promise<{ agent: Agent; title: unknown }> {
  await before?.deliver('Facts')
  const agent = await harness.next(clock)
  return { agent, title: (await harness.activityOf(agent.runId))['title'] }
}

/** A harness whose researcher has a concurrency of one, and four active writers that need it. */
async function createBottleneck() {
  const clock = createTestClock()
  const harness = await createAgentHarness({ clock, worker: { concurrency: 16 } })
  await harness.configure({ concurrency: 1 }, ['researcher'])
  await harness.configure({ concurrency: 8, adapterConfig: { timeoutMs: 3_600_000 } }, ['social_writer'])
  await place(harness, 5)
  const writers: Agent[] = []
  for (let i = 0; i < 5; i += 1) writers.push(await harness.next(clock))
  return { harness, clock, writers: writers as [Agent, Agent, Agent, Agent, Agent] }
}

describe('the queue of an agent', () => {
  it('serves high before normal priority, and the oldest first', async () => {
    const { harness, clock, writers } = await createBottleneck()
    await using _desk = harness
    await ask(writers[0], 'in progress', 'normal')
    const first = await nextTitle(harness, clock)
    for (const [i, priority] of (['normal', 'normal', 'high', 'high'] as const).entries()) {
      await ask(writers[i + 1] as Agent, `${priority} ${i}`, priority)
      clock.advance(1_000)
    }
    const titles: unknown[] = []
    let last = first.agent
    for (let i = 0; i < 4; i += 1) {
      const { agent, title } = await nextTitle(harness, clock, last)
      titles.push(title)
      last = agent
    }
    expect(titles).toEqual(['high 2', 'high 3', 'normal 0', 'normal 1'])
  })

  it('does not starve: after a quarter of an hour normal precedes new high priority', async () => {
    const { harness, clock, writers } = await createBottleneck()
    await using _desk = harness
    await ask(writers[0], 'in progress', 'normal')
    const { agent } = await nextTitle(harness, clock)
    await ask(writers[1], 'normal', 'normal')
    clock.advance(14 * minute)
    await ask(writers[2], 'high, in time', 'high')
    clock.advance(2 * minute)
    await ask(writers[3], 'high, too late', 'high')
    const second = await nextTitle(harness, clock, agent)
    const third = await nextTitle(harness, clock, second.agent)
    const fourth = await nextTitle(harness, clock, third.agent)
    expect([second.title, third.title, fourth.title]).toEqual(['high, in time', 'normal', 'high, too late'])
  })

  it('starts no more runs than the agent’s concurrency, over any number of processes, and each run once', async () => {
    await using harness = await createAgentHarness({ worker: { concurrency: 0 } })
    await harness.configure({ concurrency: 3 }, ['social_writer'])
    await harness.configure({ concurrency: 1 }, ['blog_writer'])
    await place(harness, 12)
    await harness.app.until(async () => (await harness.count(startable, true)) === 12, 'all are planned')
    const processes = await Promise.all(Array.from({ length: 4 }, () => parts(harness.app)))
    try {
      const now = new Date()
      const claimed = await Promise.all(
        [...processes, ...processes].map(({ db }, i) =>
          claimRuns(db, {
            owner: `owner ${i}`,
            now,
            leaseUntil: new Date(now.getTime() + minute),
            limit: 10,
          }),
        ),
      )
      const ids = claimed.flatMap(({ claimed: runs }) => runs.map(({ id }) => id))
      expect(ids).toHaveLength(3)
      expect(new Set(ids).size).toBe(3)
      await harness.app.db.write((tx) =>
        tx.run(`update runs set open = ?, status = 'completed' where id = ?`, [false, ids[0] ?? '']),
      )
      const more = await Promise.all(
        processes.map(({ db }, i) =>
          claimRuns(db, {
            owner: `owner ${i}`,
            now,
            leaseUntil: new Date(now.getTime() + minute),
            limit: 10,
          }),
        ),
      )
      expect(more.flatMap(({ claimed: runs }) => runs)).toHaveLength(1)
    } finally {
      for (const process of processes) await process[Symbol.asyncDispose]()
    }
  })

  // On SQLite writers follow one another.
  it.runIf(dialect === 'postgresql')('gives out no run that is being cancelled at that moment', async () => {
    await using harness = await createAgentHarness({ worker: { concurrency: 0 } })
    await place(harness, 1)
    await harness.app.until(async () => (await harness.count(startable, true)) === 1, 'it is planned')
    await using process = await parts(harness.app)
    const [cancelled, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const cancelling = harness.app.db.write(async (tx) => {
      await tx.run(`update runs set open = ?, status = 'cancelled'`, [false])
      cancelled.resolve()
      await seen.promise
    })
    await cancelled.promise
    const now = new Date()
    const leaseUntil = new Date(now.getTime() + minute)
    const claimed = claimRuns(process.db, { owner: 'owner', now, leaseUntil, limit: 10 })
    const isWaiting = `select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'update runs%'`
    await harness.app.until(async () => (await harness.count(isWaiting)) === 1, 'the claim waits')
    seen.resolve()
    await cancelling
    expect((await claimed).claimed).toEqual([])
    expect(await harness.count(`select count(*) as n from runs where status = 'cancelled'`)).toBe(1)
  })

  it('is suspended while its agent is paused or its tenant suspended, and continues afterwards', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { tenants } = harness.app.copydesk.asSystem()
    const pause = (status: string) =>
      harness.app.db.write((tx) =>
        tx.run(`update tenant_agents set status = ? where role = 'social_writer'`, [status]),
      )
    const waiting = () => harness.count(`select count(*) as n from runs where status = 'pending'`)
    await pause('paused')
    await place(harness)
    await harness.app.until(async () => (await waiting()) === 1, 'the run waits')
    clock.advance(10 * minute)
    // Other work passes: runs were looked for, and this one was left.
    await (await harness.order('email_newsletter')).deliver('An outline')
    expect(await waiting()).toBeGreaterThan(0)
    await tenants.suspend(harness.team.tenantId, 'a test')
    await pause('active')
    await tenants.reinstate(harness.team.tenantId)
    const roles = [
      (await harness.next(clock)).dispatch.agentRole,
      (await harness.next(clock)).dispatch.agentRole,
    ]
    expect(roles.toSorted()).toEqual(['email_writer', 'social_writer'])
  })

  it('ends a run whose agent was disabled, and notifies people', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, worker: { concurrency: 4 } })
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'paused' where role = 'social_writer'`),
    )
    await place(harness)
    await harness.app.until(
      async () => (await harness.count(`select count(*) as n from runs where status = 'pending'`)) === 1,
      'the run waits',
    )
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set status = 'terminated' where role = 'social_writer'`),
    )
    await harness.app.until(async () => {
      clock.advance(500)
      return (await harness.count(`select count(*) as n from runs where status = 'failed'`)) === 1
    }, 'the run has failed')
    const [letter] = (await harness.app.copydesk.asSystem().system.deadLetters()).data
    expect(letter).toMatchObject({ message: 'The agent social_writer is not enabled', family: 'invalid' })
    expect(
      await harness.count(`select count(*) as n from notifications where type = 'activity_failed'`),
    ).toBe(1)
  })
})
