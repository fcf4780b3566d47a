import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Newsroom, openNewsroom } from '../../kit/mailings.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

let room: Newsroom
let site: WordPressServer
let channelId: string

beforeAll(async () => {
  site = await createWordPressServer()
  room = await openNewsroom()
  channelId = await room.connect(site)
})

afterAll(async () => {
  await room[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const mine = async () => (await room.admin.call('dashboard.approvals.outcomes', {})).data

/** The pieces of a reviewer of the tenant. */
async function ofReviewer() {
  const { app, team } = room
  const reviewer = app.copydesk.as({
    id: team.reviewerId,
    type: 'human',
    role: 'reviewer',
    appAccess: ['dm-portal'],
    tenants: [team.tenantId],
  })
  const { data } = await reviewer.call('dm.approvals.outcomes', {})
  return data
}

describe('dashboard.approvals.outcomes, dm.approvals.outcomes', () => {
  it('show where the pieces went that one has approved, and what became of them', async () => {
    expect(await mine()).toEqual([])
    const nowhere = await room.approved('# Oats\n\nNowhere yet.\n')
    const out = await room.approved('# Rye\n\nRye is dark.\n')
    const { id } = await room.publish(out, channelId)
    const { publishedAt, url } = await room.reaches(id, 'published')
    await room.addLeads('Ann')
    const letter = await room.newsletter()
    const mailing = await room.mail(letter)
    await room.quiet()
    const pieces = await mine()
    expect(pieces.map(({ activityId, places }) => [activityId, places.length])).toEqual([
      [letter, 1],
      [out, 1],
      [nowhere, 0],
    ])
    expect(pieces[0]?.places).toMatchObject([
      { kind: 'mailing', id: mailing.id, status: 'sent', channelType: null, deliveries: 1, opens: null },
    ])
    const uncounted = {
      impressions: null,
      responses: null,
      clicks: null,
      deliveries: null,
      opens: null,
      views: null,
      searchClicks: null,
    }
    const place = {
      kind: 'publication',
      id,
      channelType: 'cms_site',
      status: 'published',
      url,
      at: publishedAt,
    }
    expect(pieces[1]).toMatchObject({
      tenantId: room.team.tenantId,
      tenantName: expect.any(String),
      places: [{ ...place, ...uncounted }],
    })

    await read(id)
    expect((await mine())[1]?.places).toEqual([
      { ...place, ...uncounted, impressions: 900, responses: 12, clicks: 0, views: 30, searchClicks: 7 },
    ])
    // Whoever has not approved them is not shown them.
    expect(await ofReviewer()).toEqual([])
    await room.app.db.write((tx) =>
      tx.run('update approvals set resolved_by_id = ? where content_of = ?', [room.team.reviewerId, out]),
    )
    expect((await ofReviewer()).map(({ activityId }) => activityId)).toEqual([out])
    expect((await mine()).map(({ activityId }) => activityId)).toEqual([letter, nowhere])
  })

  it('are the latest ten, each piece once', async () => {
    const ids: string[] = []
    for (let n = 0; n < 11; n += 1) ids.unshift(await room.approved(`# Piece ${n}`))
    expect((await mine()).map(({ activityId }) => activityId)).toEqual(ids.slice(0, 10))
  })
})

/** What a network and the sources of a website would say of a publication on two days. */
async function read(publicationId: string): Promise<void> {
  const { tenantId } = room.team
  const at = room.clock.date()
  await room.app.db.write(async (tx) => {
    for (const [n, day] of ['2026-01-01', '2026-01-02'].entries()) {
      await tx.run(
        `insert into publication_metrics (id, tenant_id, publication_id, day, impressions, reactions, comments, shares, clicks, updated_on)
         values (?, ?, ?, ?, ?, ?, ?, null, 0, ?)`,
        [
          `01METRICS000000000000000${n}A`,
          tenantId,
          publicationId,
          day,
          n === 0 ? 100 : 900,
          n * 10,
          n * 2,
          at,
        ],
      )
      await tx.run(
        `insert into website_days (id, tenant_id, channel_id, account_key, day, publication_id, views, search_clicks, updated_on)
         values (?, ?, ?, 'x', ?, ?, ?, ?, ?)`,
        [`01WEBSITE000000000000000${n}A`, tenantId, channelId, day, publicationId, 10 + 10 * n, 3 + n, at],
      )
    }
  })
}
