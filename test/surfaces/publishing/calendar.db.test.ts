import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlValue } from '../../../packages/core/src/platform/database/database.ts'
import { openWebsite } from '../../kit/website.ts'

const website = await openWebsite()
const { press, site, channelId } = website

beforeAll(async () => {
  await press.app.db.write((tx) =>
    tx.run(`update tenants set timezone = 'Asia/Kolkata' where id = ?`, [press.team.tenantId]),
  )
})

afterAll(() => website[Symbol.asyncDispose]())

const read = (query: object = {}) => press.admin.call('dashboard.calendar.read', { query })

const idAt = (kind: string, at: number) => `01JRG${kind}0000000000000000${String(at).padStart(4, '0')}`

/** Publications on the first of September, a minute apart. */
function fill(count: number): Promise<void> {
  return press.app.db.write(async (tx) => {
    const [known = {}] = await tx.all<Record<string, SqlValue>>('select * from publications limit 1')
    for (let at = 0; at < count; at += 1) {
      const when = { scheduled_for: new Date(Date.UTC(2026, 8, 1, 0, at)), published_at: null }
      const row = { ...known, ...when, id: idAt('J', at), activity_id: idAt('K', at), status: 'scheduled' }
      const names = Object.keys(row)
      const text = `insert into publications (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
      await tx.run(text, Object.values(row))
    }
  })
}

describe('dashboard.calendar.read', () => {
  it('shows what is out, what goes out and what is asked for, by the clock of the tenant’s zone', async () => {
    const today = press.clock.date().toISOString().slice(0, 10)
    const done = await press.publish(await press.approved('# Rye\n\nRye is dark.\n'), channelId)
    await press.reaches(done.id, 'published')
    // Half past three in the night of the next day in Kolkata.
    const slot = new Date(`${today}T22:00:00Z`)
    const next = await press.publish(await press.approved('# Oats\n\nOats last.\n'), channelId, slot)
    const scheduleFor = new Date(Date.parse(`${today}T10:00:00Z`) + 20 * 86_400_000).toISOString()
    const platforms = ['photo_network', 'professional_network'] as const
    await press.admin.call('dashboard.social_requests.create', {
      body: { topic: 'Spelt', platforms: [...platforms], scheduleFor },
    })
    const { data, timezone, nextFrom } = await read()
    expect({ timezone, nextFrom }).toEqual({ timezone: 'Asia/Kolkata', nextFrom: null })
    const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10)
    expect(data).toMatchObject([
      { id: done.id, kind: 'publication', status: 'published', title: 'Rye', url: `${site.url}/rye` },
      { id: next.id, status: 'scheduled', at: slot.toISOString(), local: `${tomorrow}T03:30`, channelId },
      { kind: 'request', status: 'approved', title: 'Spelt', channelId: null, at: scheduleFor },
      { kind: 'request', status: 'approved', title: 'Spelt' },
    ])
    expect(new Set(data.slice(2).map(({ channelType }) => channelType))).toEqual(new Set(platforms))
    const ofDay = await read({ from: tomorrow, to: tomorrow, channelId })
    expect(ofDay.data.map(({ id }) => id)).toEqual([next.id])
    await press.act(next.id, 'cancel')
    expect((await read({ channelId })).data.map(({ id }) => id)).toEqual([done.id])
  })

  it('refuses spans without end, and goes on where the first 500 end', async () => {
    const wrong = (query: object) => expect(read(query)).rejects.toMatchObject({ field: 'to' })
    await wrong({ from: '2026-04-10', to: '2026-04-09' })
    await wrong({ from: '2026-04-10', to: '2026-08-10' })
    expect((await read({ channelId: press.team.tenantId })).data).toEqual([])
    await fill(501)
    const first = await read({ from: '2026-09-01' })
    expect(first.data).toHaveLength(500)
    const rest = await read({ from: first.nextFrom })
    expect(rest.data.map(({ id }) => id)).toEqual([idAt('J', 500)])
  })
})
