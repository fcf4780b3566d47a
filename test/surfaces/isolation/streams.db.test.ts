import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tenantEvents } from '../../../packages/core/src/domain/work/events.ts'
import { placeholders } from '../../../packages/core/src/platform/database/database.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { mayCall } from '../../kit/isolation.ts'
import { ownersOf } from '../../kit/isolation-owners.ts'
import { pathOf } from '../../kit/isolation-places.ts'
import { type ComparedTenant, callerKinds, createTwoTenants, type TwoTenants } from '../../kit/two-tenants.ts'

/** Generated from the route tables: what happens at one tenant reaches no stream of another. */

const watchers = describeSurfaces()
  // Notifications of one user are tested where they are emitted: tenant-notifications.db.test.ts.
  .filter(({ id, kind }) => kind === 'stream' && id !== 'tenant.notifications.stream')
  // It tells of the file that its own caller sends: kb.db.test.ts.
  .filter(({ id }) => id !== 'cli.kb.upload')
  // It answers its own caller: chat.db.test.ts.
  .filter(({ id }) => !id.endsWith('.chat.message'))
  .flatMap((info) =>
    callerKinds.filter((kind) => mayCall(info, kind)).map((kind) => [info.id, kind, info] as const),
  )

let two: TwoTenants
let a: ComparedTenant
let b: ComparedTenant
let acts = 0
/** How many pieces of text each agent has sent. */
const written = new Map<string, number>()
/** What each agent asked last. */
const open = new Map<string, string>()

beforeAll(async () => {
  two = await createTwoTenants()
  a = await two.twin('aardvark')
  b = await two.twin('bumblebee')
})

afterAll(() => two[Symbol.asyncDispose]())

/** What streams tell of everything that happens here, as far as they declare it. */
const heard = ['text_delta', 'tool_call', 'tool_result', 'campaign_update', 'approval_created']

/** Whatever can be heard of a tenant; what comes last holds `last`. */
async function happen({ agent, admin, reviewer, word, ids, openActivityId }: ComparedTenant, last = word) {
  acts += 1
  // A run may call so often in a minute, and no oftener; all is over before a token is, after 15 minutes.
  two.clock.advance(6_000)
  const sequenceNum = (written.get(word) ?? 0) + 1
  written.set(word, sequenceNum)
  const ask = async (title: string) =>
    (
      await agent.call('POST /runs/:runId/actions/create-approval', {
        title,
        type: 'channel_action',
        blockCurrentActivity: false,
      })
    ).approvalId
  // An activity has so many pending ones, and no more.
  for (const approvalId of [open.get(word), await ask(`Which ${word}?`)])
    if (approvalId !== undefined)
      await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId },
        body: { resolution: 'rejected', note: `No ${word}` },
      })
  await admin.call('dashboard', 'POST /activities/:activityId/comments', {
    params: { activityId: openActivityId },
    body: { text: `About ${word}, @agent:social_writer` },
  })
  await agent.call('POST /runs/:runId/stream', { delta: ` ${word} ${last}`, sequenceNum })
  await agent.call('POST /runs/:runId/tool-call', {
    toolName: last,
    method: 'call',
    input: { word },
    output: { word },
    status: 'success',
    durationMs: 1,
  })
  await admin.call('dashboard', 'PATCH /campaigns/:campaignId', {
    params: { campaignId: ids['campaignId'] ?? '' },
    body: { name: last },
  })
  // The last event for reviewers.
  open.set(word, await ask(last))
}

const follow = (path: string, token: string, headers: Record<string, string> = {}) =>
  two.app.fetch(path, { headers: { authorization: `Bearer ${token}`, ...headers } })

async function readUntil(response: Response, mark: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(mark)) return text
  }
  throw new Error(`The stream ended without ${mark}: ${text}`)
}

/** The stream of the activity that is running, so that there is something to see. */
const idsOf = ({ ids, openActivityId }: ComparedTenant) => ({
  ...ids,
  activityId: openActivityId,
  'activities id': openActivityId,
})

describe.each(watchers)('%s as %s', (_, kind, info) => {
  it('streams live events, and nothing of the other tenant', async () => {
    const response = await follow(pathOf(info, idsOf(a)), a.tokens[kind])
    await happen(b)
    await happen(a)
    await happen(b)
    const end = `The end of ${acts}.`
    await happen(a, end)
    const text = await readUntil(response, end)
    for (const event of heard.filter((name) => name in (info.definition.events ?? {})))
      expect(text).toContain(`event: ${event}`)
    const owners = await ownersOf(two)
    expect(owners.strangersIn(text, [a.tenantId])).toEqual([])
    // The agent of a run gets nothing but its own text.
    expect(owners.countIn(text, a.tenantId)).toBeGreaterThan(kind === 'agent' ? 0 : 1)
  })

  it('resumes without events of the other tenant, from any cursor', async () => {
    const end = `The end of ${acts}.`
    await happen(b)
    await happen(a, end)
    await happen(b)
    const numbers = await two.app.db.sql.all<{ seq: number }>(
      'select min(seq) as seq from event where tenant_id = ? union select max(seq) - 14 from event union select 0',
      [b.tenantId],
    )
    const owners = await ownersOf(two)
    for (const { seq } of numbers) {
      const path = pathOf(info, idsOf(a))
      for (const response of [
        await follow(path, a.tokens[kind], { 'last-event-id': String(seq) }),
        await follow(`${path}?lastEventId=${seq}`, a.tokens[kind]),
      ]) {
        const text = await readUntil(response, end)
        expect(owners.strangersIn(text, [a.tenantId]), `after ${seq}`).toEqual([])
      }
    }
  })
})

describe('dashboard.events.stream', () => {
  it('resumed from the first event, contains every event of the tenant and none of another', async () => {
    await happen(b)
    await happen(a, 'the very last')
    const own = await two.app.db.sql.all<{ seq: number | string }>(
      `select seq from event where tenant_id = ? and type in (${placeholders(tenantEvents)})
       and seq <= (select max(seq) from event where type = 'campaign_update') order by seq`,
      [a.tenantId, ...tenantEvents.map(({ type }) => type)],
    )
    const path = '/dashboard/v1/events/stream'
    const text = await readUntil(
      await follow(path, a.tokens.member, { 'last-event-id': '0' }),
      'the very last',
    )
    const numbers = [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => number)
    // PostgreSQL gives big integers as text.
    expect(numbers).toEqual(own.map(({ seq }) => String(seq)))
  })
})
