import {
  type Installation,
  lookInto,
  memberTokens,
  reviewerTokens,
  type Seeded,
  waitFor,
} from './installation.ts'
import { expectEqual, percentile } from './measure.ts'

const readsPerSecond = 15
const verdictMs = 2_000
/** Ten pieces each, as many as are decided meanwhile. */
const campaignMs = 20_000
/** Access tokens are valid for a quarter of an hour. */
const tokenMs = 600_000

const memberReads = [
  '/dashboard/v1/activities',
  '/dashboard/v1/approvals?filter.status=pending',
  '/dashboard/v1/approvals/stats',
  '/dashboard/v1/campaigns',
  '/dashboard/v1/feed',
  '/dashboard/v1/agents',
  '/dashboard/v1/analytics/performance',
]
const reviewerReads = [
  '/dm/v1/feed',
  '/dm/v1/approvals?filter.status=pending',
  '/dm/v1/approvals/statistics',
  '/dm/v1/overview',
  '/dm/v1/activities',
  '/cli/v1/queue',
  '/cli/v1/status',
]

/** People who read and decide, and a member who gives the agents work and follows the events, until `finish`. */
export async function beginWork(
  url: string,
  installation: Installation,
  { tenantId, adminId, reviewerIds, approvalIds }: Seeded,
) {
  const waits: number[] = []
  const counts = { reads: 0, verdicts: 0, campaigns: 0, events: 0 }
  const pending = [...approvalIds]
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  const ended = new AbortController()
  const turns = { read: 0, person: 0 }
  let tokens = await sign()

  async function sign() {
    return {
      admins: await memberTokens(tenantId, [adminId], 'admin'),
      members: await memberTokens(tenantId, reviewerIds),
      reviewers: await reviewerTokens(reviewerIds),
    }
  }
  const one = (list: readonly string[]) => list[turns.person++ % list.length] as string

  async function call(token: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }

  const read = async () => {
    const all = [...memberReads, ...reviewerReads]
    const path = all[turns.read++ % all.length] as string
    const begun = performance.now()
    await call(one(memberReads.includes(path) ? tokens.members : tokens.reviewers), path)
    waits.push(performance.now() - begun)
    counts.reads += 1
  }
  const decide = async () => {
    if (pending.length === 0) {
      const page = await call(one(tokens.reviewers), '/dm/v1/approvals?filter.status=pending&limit=50')
      pending.push(...(page as { data: { id: string }[] }).data.map(({ id }) => id))
    }
    const id = pending.shift()
    if (!id) return
    const back = counts.verdicts % 4 === 3
    const verdict = back ? { resolution: 'revision_requested', note: 'Shorter' } : { resolution: 'approved' }
    await call(one(tokens.reviewers), `/dm/v1/approvals/${id}/resolve`, verdict)
    counts.verdicts += 1
  }
  const order = async () => {
    await call(one(tokens.admins), '/dashboard/v1/campaigns', {
      name: `Campaign ${counts.campaigns}`,
      brief: '# Spring\n\nHearth & Oat is a bakery.\n\n## Products\n\n- **Rye Loaf**: baked overnight\n',
      deliverables: [{ type: 'social_post', quantity: 10 }],
    })
    counts.campaigns += 1
  }
  const follow = async () => {
    let last: string | undefined
    while (!ended.signal.aborted) {
      const response = await fetch(`${url}/dashboard/v1/events/stream`, {
        headers: { authorization: `Bearer ${one(tokens.members)}`, ...(last && { 'last-event-id': last }) },
        signal: ended.signal,
      })
      expectEqual('status of the stream', response.status, 200)
      let rest = ''
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        const lines = (rest + Buffer.from(chunk).toString()).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (line.startsWith('id: ')) last = line.slice(4)
          if (line === 'event: approval_resolved') counts.events += 1
        }
      }
    }
  }
  const sure = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (!ended.signal.aborted) failure.reject(error)
    })
  const underway = new Set<Promise<unknown>>()
  const every = (ms: number, work: () => Promise<unknown>) =>
    setInterval(() => {
      const started = sure(work())
      underway.add(started)
      void started.finally(() => underway.delete(started))
    }, ms)
  void sure(follow())
  const timers = [
    every(1_000 / readsPerSecond, read),
    every(verdictMs, decide),
    every(campaignMs, order),
    every(tokenMs, async () => (tokens = await sign())),
  ]
  return {
    /** Rejects when something was answered with other than 2xx. */
    failed: failure.promise,
    summary: () =>
      `${counts.reads} reads, p99 ${percentile(waits, 0.99).toFixed(0)} ms; ${counts.verdicts} verdicts, ${counts.campaigns} campaigns`,
    /** @throws Error when a verdict was not kept, or not told */
    async finish(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underway)
      await Promise.race([
        failure.promise,
        waitFor(async () => counts.events >= counts.verdicts, 'all verdicts are told by the stream'),
      ])
      expectEqual('verdicts that were told', counts.events, counts.verdicts)
      ended.abort()
      const db = await lookInto(installation)
      const kept = await db.sql.get(
        `select count(*) as n from audit_records where action = 'approval.resolve'`,
      )
      await db.close()
      expectEqual('audit records of verdicts', Number(kept?.['n']), counts.verdicts)
    },
  }
}
