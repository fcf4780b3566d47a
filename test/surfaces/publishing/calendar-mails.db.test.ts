import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminOf } from '../../kit/app.ts'
import { type Newsroom, openNewsroom } from '../../kit/mailings.ts'

const dayMs = 86_400_000
/** Nothing else is in these months. */
const [september, november] = [new Date('2027-09-01T09:00:00.000Z'), new Date('2027-11-01T09:00:00.000Z')]

let room: Newsroom

beforeAll(async () => {
  room = await openNewsroom()
  await room.app.db.write((tx) =>
    tx.run(`update tenants set timezone = 'Asia/Kolkata' where id = ?`, [room.team.tenantId]),
  )
})

afterAll(() => room[Symbol.asyncDispose]())

const read = (query: object = {}) => room.admin.call('dashboard.calendar.read', { query })
const dayOf = (at: Date) => at.toISOString().slice(0, 10)
const later = (days: number) => new Date(room.clock.now() + days * dayMs)

/** A campaign by e-mail that is active. */
async function campaignByMail(): Promise<string> {
  const { id } = await room.team.member.call('tenant', 'POST /campaigns', {
    body: { name: 'Letters', type: 'email_marketing', channel: ['email'], goal: 'Sell' },
  })
  await room.app.db.write((tx) => tx.run(`update campaigns set status = 'active' where id = ?`, [id]))
  return id
}

/** Rows of mailings: in order, their ids. */
async function addRows(count: number, at: Date, { status = 'active', sent = 0, kind = 'A' } = {}) {
  const ids = Array.from({ length: count }, (_, n) => `01JRG${kind}0000000000000000${1_000 + n}`)
  const { tenantId } = room.team
  await room.app.db.write(async (tx) => {
    for (const id of ids) {
      await tx.run(
        `insert into campaign_sequences (id, tenant_id, campaign_id, kind, name, trigger_type, starts_at, audience, status,
           leads_read, waiting, done, stopped, created_on, updated_on)
         values (?, ?, ?, 'mailing', 'News', 'on_date', ?, '{}', ?, 0, 0, 0, 0, ?, ?)`,
        [id, tenantId, id, at, status, at, at],
      )
      await tx.run(
        `insert into sequence_steps (id, tenant_id, sequence_id, position, subject, body, delay_days, sent, failed, unknown, updated_on)
         values (?, ?, ?, 0, 'News', '', 0, ?, 0, 0, ?)`,
        [id, tenantId, id, sent, at],
      )
    }
  })
  return ids
}

/** The ids of each page from an instant on. */
async function pagesFrom(from: Date): Promise<string[][]> {
  const pages: string[][] = []
  let next: { nextFrom: string | null; nextFromId: string | null } = {
    nextFrom: from.toISOString(),
    nextFromId: null,
  }
  while (next.nextFrom !== null) {
    expect(pages.length).toBeLessThan(10)
    const { nextFrom, nextFromId } = next
    const to = dayOf(new Date(from.getTime() + 30 * dayMs))
    const page = await read({ from: nextFrom, to, ...(nextFromId !== null && { fromId: nextFromId }) })
    pages.push(page.data.map(({ id }) => id))
    next = page
  }
  return pages
}

describe('dashboard.calendar.read, of mails to leads', () => {
  it('shows mailings at the instant at which they begin, and what becomes of them', async () => {
    await room.addLeads('Ann')
    const now = room.clock.date().toISOString()
    const atOnce = await room.mail(await room.newsletter())
    await room.quiet()
    // Half past three in the night of the next day in Kolkata.
    const slot = new Date(`${dayOf(later(2))}T22:00:00.000Z`)
    const planned = await room.mail(await room.newsletter(), { scheduleFor: slot.toISOString() })
    const withdrawn = await room.mail(await room.newsletter(), { scheduleFor: later(4).toISOString() })
    await room.change(withdrawn.id, 'cancel')
    const { data, timezone, nextFrom, nextFromId } = await read()
    expect({ timezone, nextFrom, nextFromId }).toEqual({
      timezone: 'Asia/Kolkata',
      nextFrom: null,
      nextFromId: null,
    })
    const mailing = { kind: 'mailing', title: 'News from the bakery', channelId: null, channelType: null }
    const { campaignId, activityId } = planned
    expect(data).toEqual([
      expect.objectContaining({ ...mailing, id: atOnce.id, at: atOnce.createdOn, status: 'sent' }),
      {
        ...mailing,
        id: planned.id,
        at: slot.toISOString(),
        local: `${dayOf(later(3))}T03:30`,
        status: 'scheduled',
        campaignId,
        activityId,
      },
    ])
    expect(atOnce.createdOn >= now).toBe(true)
    await room.change(planned.id, 'pause')
    expect((await read()).data.map(({ status }) => status)).toEqual(['sent', 'paused'])
    const ofDay = await read({ from: dayOf(later(3)), to: dayOf(later(3)) })
    expect(ofDay.data.map(({ id }) => id)).toEqual([planned.id])
    // It goes to no channel.
    expect((await read({ channelId: room.team.tenantId })).data).toEqual([])
    const other = await room.app.team('Another')
    const neighbour = room.app.copydesk.as(adminOf(other))
    expect((await neighbour.call('dashboard.calendar.read', { query: {} })).data).toEqual([])
  })

  it('shows sequences that begin at a date, and no others', async () => {
    const params = { campaignId: await campaignByMail() }
    const startsAt = later(20).toISOString()
    const steps = [{ subject: 'Hello', body: 'We bake.', delay: 0 }]
    const add = (triggerType: 'on_date' | 'manual', name: string) =>
      room.admin.call('tenant.campaigns.add_sequence', {
        params,
        body: { name, triggerType, startsAt, steps },
      })
    const { id: sequenceId } = await add('on_date', 'Spring')
    await add('manual', 'By hand')
    const query = { from: dayOf(later(19)), to: dayOf(later(22)) }
    const { data } = await read(query)
    expect(data).toEqual([
      {
        id: sequenceId,
        kind: 'sequence',
        title: 'Spring',
        at: startsAt,
        local: expect.any(String),
        status: 'draft',
        channelId: null,
        channelType: null,
        ...params,
      },
    ])
    await room.admin.call('tenant.campaigns.activate_sequence', { params: { ...params, sequenceId } })
    expect((await read(query)).data.map(({ status }) => status)).toEqual(['active'])
  })

  it('goes on after 500 entries, and within an instant that has more of them', async () => {
    const [before] = await addRows(1, new Date(september.getTime() - 1), { kind: 'B' })
    const atOne = await addRows(1_001, september)
    const [after] = await addRows(1, new Date(september.getTime() + 1), { kind: 'C' })
    const pages = await pagesFrom(new Date(september.getTime() - dayMs))
    expect(pages.map(({ length }) => length)).toEqual([1, 500, 500, 2])
    expect(pages.flat()).toEqual([before, ...atOne, after])
    // All that is at one instant is on one page where it fits.
    const first = await read({ from: new Date(september.getTime() - 1).toISOString() })
    expect(first).toMatchObject({ nextFrom: september.toISOString(), nextFromId: null })
  })

  it('leaves out mailings that were cancelled before their first mail, however many', async () => {
    await addRows(1_100, november, { kind: 'D', status: 'cancelled' })
    const half = await addRows(1, november, { kind: 'E', status: 'cancelled', sent: 3 })
    const pages = await pagesFrom(new Date(november.getTime() - dayMs))
    expect(pages.flat()).toEqual(half)
    const { data } = await read({ from: november.toISOString(), fromId: half[0] ?? '' })
    expect(data).toMatchObject([{ id: half[0], status: 'cancelled', kind: 'mailing' }])
  })
})
