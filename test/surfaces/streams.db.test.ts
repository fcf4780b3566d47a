import { describe, expect, it } from 'vitest'
import { brief, createTestApp, type Team, type TestApp } from '../kit/app.ts'

const oneSocialPost = { name: 'Spring', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }

const pending = (app: TestApp, { reviewer }: Team) =>
  app.until(async () => {
    const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    return data[0]
  }, 'an approval is pending')

async function approve(app: TestApp, team: Team): Promise<string> {
  const { id } = await pending(app, team)
  await team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId: id },
    body: { resolution: 'approved' },
  })
  return id
}

describe('dashboard.events.stream', () => {
  it('streams all events in order, text included, and resumes without a gap or a repetition', async () => {
    await using app = await createTestApp({ writerPaceMs: 1 })
    const team = await app.team()
    const seen: Array<{ event: string; id: string | undefined }> = []
    let text = ''
    const following = new AbortController()
    const watched = (async () => {
      for await (const message of team.admin.stream('dashboard', 'GET /events/stream', {
        signal: following.signal,
      })) {
        if (message.event === 'text_delta') text += message.data.delta
        else seen.push(message)
        if (message.event === 'activity_completed') return
      }
    })()
    await team.admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
    await approve(app, team)
    await watched

    expect(seen.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        'campaign_update',
        'activity_started',
        'approval_created',
        'approval_resolved',
        'activity_completed',
      ]),
    )
    const numbers = seen.map(({ id }) => Number(id))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    const { data } = await team.admin.call('dashboard', 'GET /activities')
    const output = await team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: data[0]?.id ?? '' },
    })
    expect(text).toBe(output.text)

    const again: string[] = []
    const half = seen[Math.floor(seen.length / 2)]
    const input = { headers: { 'last-event-id': half?.id ?? '' } }
    for await (const message of team.admin.stream('dashboard', 'GET /events/stream', input)) {
      again.push(message.event)
      if (message.event === 'activity_completed') break
    }
    expect(again).toEqual(
      seen.slice(seen.indexOf(half as (typeof seen)[number]) + 1).map(({ event }) => event),
    )
  })
})

describe('dashboard.activities.stream', () => {
  it('streams the text from its start to a late viewer, and closes when the activity is done', async () => {
    await using app = await createTestApp({ writerPaceMs: 2 })
    const team = await app.team()
    await team.admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
    const activity = await app.until(async () => {
      const { data } = await team.admin.call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'in_progress' },
      })
      return data[0]
    }, 'an agent is running')
    let text = ''
    const events: string[] = []
    const watched = (async () => {
      for await (const message of team.admin.stream('dashboard', 'GET /activities/:activityId/stream', {
        params: { activityId: activity.id },
      })) {
        if (message.event === 'text_delta') text += message.data.delta
        else events.push(message.event)
      }
    })()
    await approve(app, team)
    await watched
    expect(events).toEqual(['completed'])
    const output = await team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: activity.id },
    })
    expect(text).toBe(output.text)
  })

  it('reports an ended activity at once', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    await team.admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
    await approve(app, team)
    const done = await app.until(async () => {
      const { data } = await team.admin.call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'done' },
      })
      return data[0]
    }, 'the activity is done')
    const events: string[] = []
    for await (const message of team.admin.stream('dashboard', 'GET /activities/:activityId/stream', {
      params: { activityId: done.id },
    })) {
      events.push(message.event)
    }
    expect(events).toEqual(['completed'])
  })
})
