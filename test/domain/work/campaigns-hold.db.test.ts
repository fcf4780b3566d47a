import { describe, expect, it } from 'vitest'
import { brief, createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'

const create = ({ admin }: Team, type: 'blog_post' | 'social_post', name: string) =>
  admin.call('dashboard', 'POST /campaigns', { body: { name, brief, deliverables: [{ type, quantity: 1 }] } })
const change = ({ admin }: Team, campaignId: string, status: 'active' | 'paused') =>
  admin.call('dashboard', 'PATCH /campaigns/:campaignId', { params: { campaignId }, body: { status } })
const archive = ({ admin }: Team, campaignId: string) =>
  admin.call('dashboard', 'DELETE /campaigns/:campaignId', { params: { campaignId } })

const steps = (app: TestApp, campaignId: string) =>
  app.db.sql.all<{ status: string; run: string | null; attempt: number | null }>(
    `select a.status, r.status as run, r.attempt from activities a left join runs r on r.activity_id = a.id
     where a.campaign_id = ? order by a.step_number, r.id`,
    [campaignId],
  )

async function held(more: { writerPaceMs?: number } = {}) {
  const clock = createTestClock()
  const app = await createTestApp({ clock, ...more })
  const team = await app.team()
  /** Small steps, so that the leases of what is running are renewed on the way. */
  const until = (probe: () => Promise<boolean>, what: string) =>
    app.until(async () => {
      clock.advance(50)
      return probe()
    }, what)
  const reaches = (id: string, step: number, status: string) =>
    until(async () => (await steps(app, id))[step]?.status === status, `step ${step + 1} is ${status}`)
  return { app, team, reaches, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

describe('a paused campaign', () => {
  it('lets active runs finish, starts no others, and continues where it stopped', async () => {
    // The writer waits for the clock between two words, so the turn lasts as long as the test wants.
    await using made = await held({ writerPaceMs: 50 })
    const { app, team, reaches } = made
    const { id } = await create(team, 'blog_post', 'Held')
    await app.until(async () => (await steps(app, id))[0]?.status === 'in_progress', 'the research has begun')
    expect(await change(team, id, 'paused')).toMatchObject({ status: 'paused' })
    await reaches(id, 1, 'assigned')
    expect(await steps(app, id)).toMatchObject([
      { status: 'done', run: 'completed', attempt: 1 },
      { status: 'assigned', run: 'pending', attempt: 0 },
    ])
    // Anyone who looks for work finds the run that waits longer first: it is passed over for this one.
    const other = await create(team, 'social_post', 'Free')
    await reaches(other.id, 0, 'awaiting_approval')
    expect((await steps(app, id))[1]).toMatchObject({ run: 'pending', attempt: 0 })

    expect(await change(team, id, 'active')).toMatchObject({ status: 'active' })
    await reaches(id, 1, 'awaiting_approval')
    expect((await steps(app, id))[1]).toMatchObject({ run: 'completed', attempt: 1 })
  })
})

describe('an archived campaign', () => {
  it('lets active runs finish and starts none', async () => {
    await using made = await held({ writerPaceMs: 50 })
    const { app, team, reaches } = made
    const { id } = await create(team, 'blog_post', 'Gone')
    await app.until(async () => (await steps(app, id))[0]?.status === 'in_progress', 'the research has begun')
    await archive(team, id)
    await reaches(id, 0, 'done')
    const other = await create(team, 'social_post', 'Free')
    await reaches(other.id, 0, 'awaiting_approval')
    const [research, draft] = await steps(app, id)
    expect(research).toMatchObject({ status: 'done', run: 'completed', attempt: 1 })
    expect(draft?.attempt ?? 0).toBe(0)
    await expect(change(team, id, 'active')).rejects.toMatchObject({ status: 422, code: 'UNPROCESSABLE' })
  })
})
