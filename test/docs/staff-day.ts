import { createClient } from '@copydesk/client'
import { followings, operations } from '../../packages/terminal/src/operations/catalogue.ts'
import { checkInput, shellLine } from '../../packages/terminal/src/operations/invocation.ts'
import type {
  AnyFollowing,
  AnyOperation,
  OperationContext as StaffTerminal,
} from '../../packages/terminal/src/operations/operation.ts'
import { cleanLines } from '../../packages/terminal/src/render/clean.ts'
import { printed } from '../../packages/terminal/src/render/row.ts'
import { password } from '../kit/app.ts'
import { createTestClock, type TestClock } from '../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../kit/runtime.ts'
import { createStable } from './stable.ts'

/** A command as someone ran it, and what it printed for people and for programs. */
export interface Shown {
  name: string
  line: string
  /** What it reads, as the end of the line. */
  from?: string
  text: string
  /** Missing where a command prints the same for both. */
  json?: string
}

const width = 80
const minute = 60_000

const first = `# Rye at night

Our *Rye & Seed Loaf* rests **twelve hours** before it is baked.

- no yeast from a packet
- baked before you leave the house

Find your nearest shop.`
const second = first
  .replace('twelve hours', 'fourteen hours')
  .replace('your nearest shop', 'the shop near you')

/** Every command that uses a server, for one day of a small installation: the same bytes each time. */
export async function staffDay(): Promise<Shown[]> {
  const clock = createTestClock()
  await using harness = await createAgentHarness({ clock })
  const { app, team } = harness
  const stable = createStable()
  const reviewer = await deskOf(harness, clock, team.reviewerId)
  const shown: Shown[] = []
  const show = async (name: string, input: Record<string, unknown> = {}, at = reviewer) => {
    clock.advance(minute)
    const operation = operations.find((each) => each.name === name) as AnyOperation
    const given = checkInput(operation, input)
    const result = stable(await operation.run(at, given as never))
    const rows = operation.print(result as never, { width, now: clock.now() })
    const asks = operation.effect === 'decides' && given['dryRun'] !== true
    const line = stable(shellLine(operation, given)) + (asks ? ' --yes' : '')
    shown.push({ name, line, text: printed(rows, false).trimEnd(), json: JSON.stringify(result, null, 2) })
    return result
  }

  // A text that was sent back once, one that waits, and one whose agent has failed.
  const revised = await harness.order()
  await revised.deliver(first)
  const { activityId, approvalId } = await waiting(harness, reviewer, revised.runId)
  clock.advance(2 * minute)
  await reviewer.client.call('cli', 'POST /approvals/:id/resolve', {
    params: { id: approvalId },
    body: { resolution: 'revision_requested', note: 'It rests longer than that' },
  })
  const again = await harness.next()
  clock.advance(minute)
  await again.deliver(second)
  const { approvalId: asked } = await waiting(harness, reviewer, again.runId)
  clock.advance(3 * minute)
  const other = await harness.order()
  await other.deliver('Oats for people who leave early.')
  const { approvalId: low } = await waiting(harness, reviewer, other.runId)
  clock.advance(minute)
  const last = await harness.order()
  await last.deliver('Half the price until Sunday.')
  const { approvalId: late } = await waiting(harness, reviewer, last.runId)
  clock.advance(2 * minute)
  const broken = await harness.order()
  await broken.fail('The model gives no answer', { family: 'invalid' })
  const failed = (await harness.activityOf(broken.runId)).id
  clock.advance(90 * minute)

  await show('status')
  await show('queue', { status: 'all' })
  await show('feed')
  await show('show', { ids: [asked] })
  await show('log', { id: activityId })
  await show('tenants')
  await show('agents', { role: 'social_writer' })
  await show('queues')
  await show('cost', { by: 'agent' })
  await show('ask', { words: ['what', 'waits', 'for', 'me'] })
  await show('ask', { words: ['approve', 'everything', 'with', 'low', 'risk'] })
  shown.push(await tailed(reviewer, clock, harness, activityId, stable))
  await show('claim', { id: asked })
  await show('release', { id: asked })
  await show('comment', { id: activityId, text: 'Nearly there' })
  const { data } = await reviewer.client.call('cli', 'GET /feed', {})
  const [away, aside] = data
  await show('snooze', { id: aside?.id, until: '4h' })
  await show('dismiss', { id: away?.id })
  const { tenantId } = team
  await show('pause', { target: 'social_writer', tenant: tenantId, reason: 'The tone is off' })
  await show('resume', { target: 'social_writer', tenant: tenantId })
  await show('retry', { id: failed })
  await harness.next()
  await show('cancel', { id: failed, reason: 'The offer has ended' })
  await show('run', { role: 'blog_writer', prompt: 'Write about the new oven', tenant: tenantId })
  await harness.next()
  await show('bulk', { action: 'approve', risk: 'low', dryRun: true })
  await show('escalate', { id: low, risk: 'medium', reason: 'It names a rival' })
  await show('forward', { id: low, note: 'Is this how you say it?' })
  await show('revise', { ids: [low], note: 'Shorter, and name the price' })
  await show('reject', { ids: [late], note: 'The offer has ended' })
  await show('approve', { ids: [asked], note: 'Well put' })
  const { id: operator } = await app.copydesk.asSystem().users.create({
    email: 'sue.super@test.example',
    name: 'Sue Super',
    password,
    role: 'super_admin',
  })
  await show('impersonate', { tenant: tenantId }, await deskOf(harness, clock, operator))
  return shown
}

async function waiting(
  harness: AgentHarness,
  { client }: StaffTerminal,
  runId: string,
): Promise<{ activityId: string; approvalId: string }> {
  const activityId = (await harness.activityOf(runId)).id
  const { data } = await client.call('cli', 'GET /approvals', { query: { 'filter.status': 'pending' } })
  const asked = data.find(({ linkedActivities }) => linkedActivities.some(({ id }) => id === activityId))
  return { activityId, approvalId: asked?.id ?? '' }
}

async function deskOf({ app }: AgentHarness, clock: TestClock, userId: string): Promise<StaffTerminal> {
  const { key } = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'Shell' })
  const client = createClient({
    baseUrl: 'http://copydesk.test',
    apiKey: key,
    fetch: (url, init) => app.copydesk.fetch(new Request(url, init)),
  })
  return { client, now: () => clock.now() }
}

async function tailed(
  at: StaffTerminal,
  clock: TestClock,
  { app }: AgentHarness,
  id: string,
  stable: <T>(value: T) => T,
): Promise<Shown> {
  const [followed] = followings as readonly [AnyFollowing]
  const events: unknown[] = []
  let ended = false
  const reading = (async () => {
    const input = checkInput(followed, { id })
    for await (const event of followed.follow(at, input as never, new AbortController().signal))
      events.push(event)
    ended = true
  })()
  await app.until(async () => {
    clock.advance(50)
    return ended
  }, 'the text has been told')
  await reading
  const told = stable(events)
  const text = told.map((event) => {
    const said = followed.print(event as never, { width, now: clock.now() })
    return 'piece' in said ? cleanLines(said.piece).join('\n') : `\n${printed(said.lines, false)}\n`
  })
  const line = stable(shellLine(followed, { id }))
  return {
    name: 'tail',
    line,
    text: text.join('').trim(),
    json: told.map((event) => JSON.stringify(event)).join('\n'),
  }
}
