import { createHash } from 'node:crypto'
import { createCopydesk } from '@copydesk/core'
import type { Database, SqlValue } from '../packages/core/src/platform/database/database.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { fillReviewQueue } from '../test/kit/review-queue.ts'
import { createWordPressServer, type WordPressServer } from '../test/kit/wordpress-server.ts'
import { type Installation, memberTokens, type Seeded, seed } from './installation.ts'
import { type Bench, expectEqual, type Metrics, percentile } from './measure.ts'
import { onBoth, within } from './on-both.ts'
import { startSubject } from './processes.ts'

/** Intents that are due at once, and then intents that become due one after the other, this many milliseconds apart. */
const atOnce = 400
const paced = 200
const paceMs = 60
/** Of the calendar: two years of posts. */
const posts = 200_000
const repetitions = 200
const dayMs = 86_400_000

/** Pieces that go through the publishing queue to a website on the same machine. */
export const publish: Bench = {
  name: 'publish',
  run: () => onBoth(measurePublishing),
}

/** A month, and the lists of publications, of a tenant with 200,000 posts. */
export const calendar: Bench = {
  name: 'calendar',
  run: () => onBoth(measureCalendar),
}

async function measurePublishing(name: string, installation: Installation, folder: string): Promise<Metrics> {
  await using site = await createWordPressServer()
  const seeded = await seed(installation, { approvals: 0, reviewers: 1 })
  const own = { ...installation, allowHosts: ['127.0.0.1'] }
  const pieces = await within(installation, (db) => approvedPieces(db, seeded.tenantId, atOnce + paced))
  const due = await intents(own, seeded, site, pieces)
  const begun = performance.now()
  await using server = await startSubject('servers/copydesk.ts', { ...own, working: true }, folder)
  await until(() => site.published.size >= atOnce)
  const rate = atOnce / ((performance.now() - begun) / 1_000)
  await until(() => site.published.size >= atOnce + paced)
  const lags = [...due].map(([key, at]) => Math.max(0, (site.createdAt.get(key) ?? Number.NaN) - at))
  expectEqual('intents with a draft', lags.filter((lag) => !Number.isNaN(lag)).length, paced)
  expectEqual('posts that were published twice', [...site.published.values()].filter((n) => n > 1).length, 0)
  void server
  return {
    [`publish.${name}.rate`]: { value: rate, unit: '/s' },
    [`publish.${name}.start.p50`]: { value: percentile(lags, 0.5), unit: 'ms' },
    [`publish.${name}.start.p99`]: { value: percentile(lags, 0.99), unit: 'ms' },
  }
}

/** Makes an intent of each piece. @returns when those are due that become so one after the other, by their keys */
async function intents(
  installation: Installation & { allowHosts: string[] },
  { tenantId, adminId }: Seeded,
  site: WordPressServer,
  pieces: readonly string[],
): Promise<Map<string, number>> {
  const copydesk = await createCopydesk({ ...installation, log: silentLogger, worker: false })
  const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
  try {
    const admin = copydesk.as(actor)
    await admin.call('dashboard.integrations.credentials', {
      params: { platform: 'cms_site' },
      body: { server: site.url, ...site.login },
    })
    const { data } = await admin.call('dashboard.channels.list', {})
    const channelId = data[0]?.id ?? ''
    const due = new Map<string, number>()
    // Behind those that are due at once, and after a server has started.
    const first = Date.now() + 60_000
    for (const [i, activityId] of pieces.entries()) {
      const at = i < atOnce ? undefined : first + (i - atOnce) * paceMs
      const { id } = await admin.call('dashboard.publications.create', {
        body: { activityId, channelId, ...(at !== undefined && { scheduleFor: new Date(at).toISOString() }) },
      })
      if (at !== undefined) due.set(id.toLowerCase(), at)
    }
    return due
  } finally {
    await copydesk.stop()
  }
}

/** @returns the ids of activities whose texts people have approved */
async function approvedPieces(db: Database, tenantId: string, count: number): Promise<string[]> {
  await fillReviewQueue(db, tenantId, count)
  const links = await db.sql.all<{ approval_id: string; activity_id: string }>(
    'select approval_id, activity_id from approval_links order by approval_id',
  )
  await db.write(async (tx) => {
    for (const [i, { approval_id: approval, activity_id: activity }] of links.entries()) {
      const text = `# Piece ${i}\n\n${'Bread is baked overnight. '.repeat(80)}\n`
      const hash = createHash('sha256').update(text).digest('hex')
      await insert(tx, 'outputs', [
        {
          id: activity,
          tenant_id: tenantId,
          activity_id: activity,
          version: 1,
          text,
          format: 'markdown',
          sha256: hash,
          author_id: 'social_writer',
          author_name: 'Writer',
          author_type: 'agent',
          created_on: new Date(),
        },
      ])
      await tx.run(
        `update approvals set status = 'approved', content_of = ?, content_hash = ? where id = ?`,
        [activity, hash, approval],
      )
      await tx.run(`update activities set status = 'done' where id = ?`, [activity])
    }
  })
  return links.map(({ activity_id }) => activity_id)
}

async function measureCalendar(name: string, installation: Installation, folder: string): Promise<Metrics> {
  const { tenantId, reviewerIds } = await seed(installation, { approvals: 0, reviewers: 30 })
  await within(installation, (db) => fillPosts(db, tenantId))
  const tokens = await memberTokens(tenantId, reviewerIds)
  await using server = await startSubject('servers/copydesk.ts', installation, folder)
  /** Reads a page again and again. @returns how long each took, milliseconds */
  const read = async (path: (i: number) => string, entries: number) => {
    const waits: number[] = []
    for (let i = 0; i < repetitions + 20; i += 1) {
      const begun = performance.now()
      const response = await fetch(`${server.url}/dashboard/v1/${path(i)}`, {
        headers: { authorization: `Bearer ${tokens[i % tokens.length]}` },
      })
      const { data } = (await response.json()) as { data: unknown[] }
      expectEqual(`entries of ${path(i)}`, data.length, entries)
      if (i >= 20) waits.push(performance.now() - begun)
    }
    return waits
  }
  // Another month each time, of the past and of what is to come.
  const monthOf = (i: number) =>
    new Date(Date.now() + ((i % 20) - 10) * 30 * dayMs).toISOString().slice(0, 10)
  const months = await read((i) => `calendar?from=${monthOf(i)}`, 500)
  const lists = await read((i) => `publications?limit=100${listed[i % listed.length]}`, 100)
  return {
    [`calendar.${name}.p50`]: { value: percentile(months, 0.5), unit: 'ms' },
    [`calendar.${name}.p95`]: { value: percentile(months, 0.95), unit: 'ms', aim: '25 ms' },
    [`calendar.${name}.list.p50`]: { value: percentile(lists, 0.5), unit: 'ms' },
    [`calendar.${name}.list.p95`]: { value: percentile(lists, 0.95), unit: 'ms', aim: '25 ms' },
  }
}

const idOf = (kind: string, i: number) => `01JRG${kind}${String(i).padStart(20, '0')}`

/** What a list of publications is asked for: all, and by each filter that can stand alone. */
const listed = [
  '',
  '&filter.status=published',
  '&filter.status=scheduled',
  `&filter.channelId=${idOf('D', 1)}`,
]

/** Two years of posts on five channels, half of them out. */
async function fillPosts(db: Database, tenantId: string): Promise<void> {
  const now = Date.now()
  const batch = 500
  await db.write(async (tx) => {
    for (let first = 0; first < posts; first += batch) {
      const rows = Array.from({ length: batch }, (_, n) => {
        const i = first + n
        const at = new Date(now + (i / posts - 0.5) * 730 * dayMs)
        const isOut = at.getTime() < now
        return {
          id: idOf('A', i),
          tenant_id: tenantId,
          activity_id: idOf('B', i),
          title: `Post ${i} of the bakery`,
          output_id: idOf('C', i),
          content_hash: 'a'.repeat(64),
          channel_id: idOf('D', i % 5),
          channel_type: 'cms_site',
          status: isOut ? 'published' : 'scheduled',
          scheduled_for: at,
          attempt: 1,
          touched: false,
          progress: '{}',
          failures: 0,
          checks: 0,
          asked: false,
          url: isOut ? `https://bakery.example/post-${i}` : null,
          published_at: isOut ? at : null,
          requested_by_id: tenantId,
          requested_by_name: 'Ada',
          created_on: at,
          updated_on: at,
        }
      })
      await insert(tx, 'publications', rows)
    }
  })
}

async function insert(
  tx: { run(text: string, params: readonly SqlValue[]): Promise<unknown> },
  table: string,
  rows: ReadonlyArray<Record<string, SqlValue>>,
): Promise<void> {
  const names = Object.keys(rows[0] ?? {})
  const marks = `(${names.map(() => '?').join(', ')})`
  await tx.run(
    `insert into ${table} (${names.join(', ')}) values ${rows.map(() => marks).join(', ')}`,
    rows.flatMap((row) => Object.values(row)),
  )
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5))
}
