import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acts, inbox, neighbourOf, resolve } from '../../domain/agent-harness.ts'
import { brief, password } from '../../kit/app.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { steer } from '../steering.ts'

let harness: AgentHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await neighbourOf(harness)
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

const say = async ({ runId }: Agent, text: string) => {
  const params = { activityId: (await harness.activityOf(runId)).id }
  return harness.team.reviewer.call('dm', 'POST /activities/:activityId/comments', { params, body: { text } })
}

/** Wakes that came during a turn, as `reason: comment`. */
const heard = async ({ runId }: Agent) => {
  const { next_wake: wake } = await harness.run(runId)
  const next = (typeof wake === 'string' ? JSON.parse(wake) : wake) as {
    reason: string
    note: { comment?: string }
  } | null
  return next && `${next.reason}: ${next.note.comment}`
}

/** Two agents in progress in one campaign. */
async function twoAtWork(): Promise<[social: Agent, ads: Agent]> {
  await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: {
      name: 'Spring',
      brief,
      deliverables: [
        { type: 'social_post', quantity: 1 },
        { type: 'ad_copy', quantity: 1 },
      ],
    },
  })
  const both = [await harness.next(), await harness.next()]
  const isSocial = ({ dispatch }: Agent) => dispatch.agentRole === 'social_writer'
  return [...both.filter(isSocial), ...both.filter((agent) => !isSocial(agent))] as [Agent, Agent]
}

describe('dm.activities.comment', () => {
  it('wakes a mentioned agent only for an open activity of the same campaign', async () => {
    const [social, ads] = await twoAtWork()
    const elsewhere = await harness.order('ad_copy')
    const role = ads.dispatch.agentRole
    const { mentions } = await say(social, `@agent:${role} look at the post`)
    expect(mentions).toMatchObject([{ type: 'agent', id: role }])
    expect(await heard(ads)).toBe(`mention: @agent:${role} look at the post`)
    expect(await heard(elsewhere)).toBeNull()
    expect(await heard(social)).toBeNull()

    // No open work there: no one is woken, and the mention is still written down.
    await steer(harness.team.reviewer, (await harness.activityOf(ads.runId)).id).cancel()
    const runs = await harness.count('select count(*) as n from runs')
    expect((await say(social, `@agent:${role} once more`)).mentions).toHaveLength(1)
    expect(await harness.count('select count(*) as n from runs')).toBe(runs)
    expect(await heard(elsewhere)).toBeNull()
  })

  it('wakes an agent whose activity is blocked, with the comment', async () => {
    const [social] = await twoAtWork()
    await social.call('POST /runs/:runId/actions/report-blocker', acts['actions/report-blocker'])
    await social.deliver('As far as I got')
    const { id } = await harness.activityOf(social.runId)
    expect((await harness.activityOf(social.runId)).status).toBe('blocked')
    await say(social, '@agent:social_writer the shop in Bristol')
    const next = await harness.next()
    expect((await harness.activityOf(next.runId)).id).toBe(id)
    expect(next.dispatch.wakeReason).toBe('mention')
    expect(next.dispatch.prompt).toContain('the shop in Bristol')
    await next.deliver('In Bristol')
    expect(await harness.activityOf(next.runId)).toMatchObject({ status: 'awaiting_approval', blocker: null })
  })

  it('is included in the next wake of an activity with a pending approval', async () => {
    const [social] = await twoAtWork()
    await social.deliver('A post')
    const { id } = await harness.activityOf(social.runId)
    const runs = await harness.count('select count(*) as n from runs')
    await say(social, '@agent:social_writer mind the oats')
    expect((await harness.activityOf(social.runId)).status).toBe('awaiting_approval')
    expect(await harness.count('select count(*) as n from runs')).toBe(runs)
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending', limit: 100 },
    })
    const asked = data.find(({ linkedActivities }) => linkedActivities.some((one) => one.id === id))
    await resolve(harness.team, asked?.id ?? '', { resolution: 'revision_requested', note: 'Shorter' })
    const next = await harness.next()
    expect(next.dispatch.wakeReason).toBe('review_feedback')
    expect(next.dispatch.prompt).toContain('mind the oats')
    expect(next.dispatch.prompt).toContain('Shorter')
  })

  it('is included in the next wake of an activity that waits for a subtask', async () => {
    const [social] = await twoAtWork()
    await social.call('POST /runs/:runId/actions/create-subtask', acts['actions/create-subtask'])
    await social.deliver('Waiting for facts')
    const subtask = await harness.next()
    await say(social, '@agent:social_writer mind the rye')
    expect((await harness.activityOf(social.runId)).status).toBe('awaiting_subtask')
    await subtask.deliver('Three facts')
    const next = await harness.next()
    expect(next.dispatch.wakeReason).toBe('subtask_completed')
    expect(next.dispatch.prompt).toContain('mind the rye')
    expect(next.dispatch.prompt).toContain('Three facts')
  })

  it('on a closed activity wakes the agent’s open activity of the campaign', async () => {
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Two', brief, deliverables: [{ type: 'social_post', quantity: 2 }] },
    })
    const [first, second] = [await harness.next(), await harness.next()]
    await steer(harness.team.reviewer, (await harness.activityOf(first.runId)).id).cancel()
    await say(first, '@agent:social_writer do as there')
    expect(await heard(second)).toBe('mention: @agent:social_writer do as there')
    expect((await harness.activityOf(first.runId)).status).toBe('failed')
  })

  it('starts no run for a paused activity: the agent gets the mention when it is resumed', async () => {
    const [social] = await twoAtWork()
    const it = steer(harness.team.reviewer, (await harness.activityOf(social.runId)).id)
    await it.pause()
    await say(social, '@agent:social_writer shorter')
    await social.deliver('A post')
    expect(await it.see()).toMatchObject({ status: 'blocked', hold: 'paused' })
    await it.resume()
    const next = await harness.next()
    expect(next.dispatch.wakeReason).toBe('unblocked')
    expect(next.dispatch.prompt).toContain('@agent:social_writer shorter')
    await it.cancel()
  })

  it('notifies mentioned users of the tenant once each, and no one of another tenant', async () => {
    const [social] = await twoAtWork()
    const { id: gone } = await harness.app.copydesk.asSystem().users.create({
      email: 'gone@test.example',
      name: 'Gus Gone',
      password,
      role: 'member',
      tenantId: harness.team.tenantId,
    })
    await harness.app.copydesk.asSystem().users.suspend(gone, 'Left')
    const before = (await inbox(harness, 'campaign_update')).length
    const at = `@human:${harness.team.adminId}`
    const { mentions } = await say(
      social,
      `${at} ${at} @human:${gone} @human:${theirs.adminId} @human:x @agent:astrologer`,
    )
    expect(mentions).toEqual([{ type: 'human', id: harness.team.adminId, name: 'Ada Admin' }])
    const told = (await inbox(harness, 'campaign_update')).slice(before)
    expect(told.map(({ user_id: user }) => user)).toEqual([harness.team.adminId])
  })

  it('notifies at most twenty users per comment', async () => {
    const [social] = await twoAtWork()
    const crowd = Array.from({ length: 500 }, (_, n) => `@human:stranger${n}`).join(' ')
    const { mentions } = await say(social, `@agent:social_writer ${crowd} @human:${harness.team.adminId}`)
    expect(mentions.map(({ id }) => id)).toEqual(['social_writer'])
  })
})
