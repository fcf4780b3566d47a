import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPress, type Press } from '../../kit/publishing.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'
import { refusal } from '../refusal.ts'

const dayMs = 86_400_000

let press: Press
let site: WordPressServer
let channelId: string

beforeAll(async () => {
  site = await createWordPressServer()
  press = await openPress()
  channelId = await press.connect(site)
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const health = () => press.admin.call('dashboard.channels.health', { params: { channelId } })
const update = (sql: string, params: (string | Date | null)[]) =>
  press.app.db.write((tx) => tx.run(sql, params))

describe('dashboard.channels.health, mobile.channels.list', () => {
  it('is whole for a channel that publishes, and says when it last did', async () => {
    const { id } = await press.publish(await press.approved('# Rye\n\nRye is dark.\n'), channelId)
    const { publishedAt } = await press.reaches(id, 'published')
    expect(await health()).toEqual({
      channelId,
      healthScore: 100,
      breakdown: { completeness: 100, activityScore: 100, engagement: 0 },
      measured: ['completeness', 'activityScore'],
      facts: { published: 1, failed: 0, held: 0, unanswered: 0, consentEndsAt: null, waitsUntil: null },
      advice: [],
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

  it('is 0 for a channel that is disconnected, is listed with it, and is only the team’s', async () => {
    const { data } = await press.admin.call('mobile.channels.list', {})
    expect(data).toEqual([
      {
        id: channelId,
        name: 'Website',
        type: 'cms_site',
        status: 'connected',
        accountName: 'Oats Daily',
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
