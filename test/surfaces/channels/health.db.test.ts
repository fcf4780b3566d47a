import { afterAll, describe, expect, it } from 'vitest'
import { openWebsite } from '../../kit/website.ts'
import { refusal } from '../refusal.ts'

const dayMs = 86_400_000

const website = await openWebsite()
const { press, site, channelId } = website

afterAll(() => website[Symbol.asyncDispose]())

const health = () => press.admin.call('dashboard.channels.health', { params: { channelId } })
const update = (sql: string, params: (string | Date | null)[]) =>
  press.app.db.write((tx) => tx.run(sql, params))

let posts = 0

/** A post that went out so many days ago, and what became of it: nothing on the first day. */
async function addPost(daysAgo: number, { reactions }: { reactions: number }) {
  posts += 1
  const id = `01POST${String(posts).padStart(20, '0')}`
  const at = new Date(press.clock.now() - daysAgo * dayMs)
  const columns = Object.keys((await press.app.db.sql.get('select * from publications limit 1')) ?? {})
  const own: Record<string, string | Date> = {
    id,
    title: 'Counted',
    status: 'published',
    published_at: at,
    activity_id: id,
  }
  const values = columns.map((column) => (column in own ? '?' : column))
  const given = columns.flatMap((column) => own[column] ?? [])
  await update(
    `insert into publications (${columns.join(', ')}) select ${values.join(', ')} from publications limit 1`,
    given,
  )
  for (const [n, day] of ['2026-01-01', '2026-01-02'].entries())
    await press.app.db.write((tx) =>
      tx.run(
        `insert into publication_metrics (id, tenant_id, publication_id, day, reactions, updated_on) values (?, ?, ?, ?, ?, ?)`,
        [
          `01DAY${n}${String(posts).padStart(20, '0')}`,
          press.team.tenantId,
          id,
          day,
          n === 0 ? 0 : reactions,
          at,
        ],
      ),
    )
}

describe('dashboard.channels.health, mobile.channels.list', () => {
  it('is whole for a channel that publishes, and says when it last did', async () => {
    const { id } = await press.publish(await press.approved('# Rye\n\nRye is dark.\n'), channelId)
    const { publishedAt } = await press.reaches(id, 'published')
    expect(await health()).toEqual({
      channelId,
      healthScore: 100,
      breakdown: { completeness: 100, activityScore: 100, engagement: 0 },
      measured: ['completeness', 'activityScore'],
      facts: {
        published: 1,
        failed: 0,
        held: 0,
        unanswered: 0,
        consentEndsAt: null,
        waitsUntil: null,
        figuresRefusedAt: null,
        engagement: null,
      },
      advice: [],
      accountDays: [],
      lastPublishedAt: publishedAt,
      computedAt: press.clock.date().toISOString(),
    })
  })

  it('falls with failures, a consent that ends, and silence, and says what to do', async () => {
    site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    const { id } = await press.publish(await press.approved('# Oats\n\nOats last.\n'), channelId)
    await press.reaches(id, 'failed')
    const ends = new Date(press.clock.now() + 7 * dayMs)
    await update('update channel_connections set expires_at = ? where id = ?', [ends, channelId])
    const failing = await health()
    expect(failing.breakdown).toMatchObject({ completeness: 85, activityScore: 50 })
    expect(failing.facts).toMatchObject({ published: 1, failed: 1, consentEndsAt: ends.toISOString() })
    expect(failing.advice.map(({ code }) => code)).toEqual(['consent_ends', 'failures'])
    await update('update channel_connections set expires_at = null, connected_at = ? where id = ?', [
      new Date(press.clock.now() - 100 * dayMs),
      channelId,
    ])
    await update(`update publications set published_at = ? where status = 'published'`, [
      new Date(press.clock.now() - 40 * dayMs),
    ])
    const silent = await health()
    expect(silent.healthScore).toBeLessThan(failing.healthScore)
    expect(silent.advice.map(({ code }) => code)).toEqual(['failures', 'quiet'])
  })

  it('falls with changes of posts that fail or are held, and says what to do about them', async () => {
    const before = await health()
    const activityId = await press.approved('# Barley\n\nOf old.\n')
    const { id } = await press.publish(activityId, channelId)
    await press.reaches(id, 'published')
    await press.rewrite(activityId, '# Barley\n\nOf late.\n')
    const whole = await health()
    site.mishaps.push({ status: 400, code: 'rest_invalid_param' })
    expect((await press.update(id)).change).toMatchObject({ status: 'failed' })
    const failing = await health()
    expect(failing.facts).toMatchObject({ published: whole.facts.published, failed: before.facts.failed + 1 })
    expect(failing.breakdown.activityScore).toBeLessThan(whole.breakdown.activityScore)
    expect(failing.advice.filter(({ code }) => code === 'failures').map(({ text }) => text)).toEqual([
      'Look at one publication that could not be published, and retry it',
      'Look at one change of a published post that could not be sent, and retry or drop it',
    ])
    const setCampaign = (status: string) =>
      update(
        'update campaigns set status = ? where id in (select campaign_id from activities where id = ?)',
        [status, activityId],
      )
    await setCampaign('paused')
    await press.act(id, 'retry')
    expect((await press.settles(id)).change).toMatchObject({ status: 'held' })
    const held = await health()
    expect(held.facts).toMatchObject({ failed: before.facts.failed, held: 1 })
    expect(held.advice.filter(({ code }) => code === 'held').map(({ text }) => text)).toEqual([
      'Look at one change of a published post that is held, and let it go on',
    ])
    await setCampaign('active')
    await press.act(id, 'retry')
    expect((await press.settles(id)).change).toBeNull()
    const after = await health()
    expect(after.facts).toMatchObject({ failed: before.facts.failed, held: 0 })
    expect(after.advice).toEqual(before.advice.filter(({ code }) => code !== 'quiet'))
  })

  it('counts how posts are answered, beside the channel’s own earlier ones', async () => {
    const before = (await health()).healthScore
    for (const reactions of [10, 20, 30]) await addPost(50, { reactions })
    await addPost(8, { reactions: 4 })
    await addPost(20, { reactions: 4 })
    // Too young to be compared, and too old.
    await addPost(2, { reactions: 1_000 })
    await addPost(120, { reactions: 1_000 })
    expect(await health()).toMatchObject({ measured: ['completeness', 'activityScore'] })
    await addPost(36, { reactions: 1 })
    expect(await health()).toMatchObject({
      measured: ['completeness', 'activityScore', 'engagement'],
      breakdown: { engagement: 8 },
      facts: { engagement: { recent: 3, usual: 20, per: 'posts' } },
      advice: expect.arrayContaining([expect.objectContaining({ code: 'unheard' })]),
    })
    expect((await health()).healthScore).not.toBe(before)
    const { data } = await press.admin.call('dashboard.channels.list', {})
    expect(data.find(({ id }) => id === channelId)?.healthScore).toBe((await health()).healthScore)
    // Where it is known how often posts are shown, that counts: as much as before is 50.
    await update('update publication_metrics set impressions = reactions * 10', [])
    expect(await health()).toMatchObject({
      breakdown: { engagement: 50 },
      facts: { engagement: { recent: 0.1, usual: 0.1, per: 'impressions' } },
    })
    await update('update publication_metrics set reactions = null', [])
    expect(await health()).toMatchObject({
      measured: ['completeness', 'activityScore'],
      breakdown: { engagement: 0 },
      facts: { engagement: null },
    })
    await update('delete from publication_metrics', [])
    await update('delete from publications where title = ?', ['Counted'])
  })

  it('is 0 for a channel that is disconnected, is listed with it, and is only the team’s', async () => {
    const { data } = await press.admin.call('mobile.channels.list', {})
    expect(data).toEqual([
      {
        id: channelId,
        name: 'Website',
        type: 'cms_site',
        status: 'connected',
        accountName: "Ada's Oats & Rye",
        healthScore: (await health()).healthScore,
      },
    ])
    await press.disconnect(channelId)
    expect(await health()).toMatchObject({ healthScore: 0, breakdown: { completeness: 0 } })
    expect((await health()).advice[0]).toMatchObject({ code: 'reconnect' })
    const stranger = await press.app.team()
    const params = { channelId }
    expect(
      await refusal(stranger.admin.call('dashboard', 'GET /channels/:channelId/health', { params })),
    ).toMatchObject({ status: 404 })
  })
})
