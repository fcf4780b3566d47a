import { expect } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { password } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { asInstant, asJson, asNumber } from '../../kit/columns.ts'
import { type Agent, type AgentHarness, agentOf, createAgentHarness } from '../../kit/runtime.ts'
import { expectLaws } from './invariants.ts'
import { type Model, newPiece, type Question } from './pieces.ts'
import { begin, expire, fail } from './state.ts'

/** The instance under test, with the agents whose dispatches have come. */
export interface RealSystem extends AsyncDisposable {
  harness: AgentHarness
  clock: TestClock
  campaignId: string
  agents: Agent[]
  /** Asks as a person or an agent, without the client in between. */
  post(
    who: 'admin' | 'reviewer' | Agent,
    path: string,
    body: object,
    method?: 'POST' | 'PATCH',
  ): Promise<{ status: number; code: string | undefined; body: Record<string, unknown> }>
  /** Executes everything that is due, applies it to the model, and compares the two. */
  settle(model: Model): Promise<void>
}

const turnMs = 3_600_000

/** Two activities of one campaign, both dispatched to their agents, and their state in the model. */
export async function createSystem(): Promise<{ model: Model; real: RealSystem }> {
  const clock = createTestClock()
  await using stack = new AsyncDisposableStack()
  const harness = stack.use(await createAgentHarness({ clock }))
  const { app, team, runtime } = harness
  await harness.configure({ concurrency: 20, adapterConfig: { timeoutMs: turnMs } })
  const { id: campaignId } = await team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 2 }] },
  })
  const planned = () => harness.count('select count(*) as n from activities')
  await app.until(async () => (await planned()) === 2, 'the pieces are planned')
  const rows = await app.db.sql.all<{ id: string; agent_role: string; approval_required: unknown }>(
    'select id, agent_role, approval_required from activities order by id',
  )
  const model: Model = {
    pieces: rows.map(({ id, agent_role: role, approval_required: needs }) =>
      newPiece(id, role, { needsApproval: Boolean(needs) }),
    ),
    turns: new Map(),
    questions: [],
    reasked: [],
    paused: false,
    passed: 0,
  }
  const logIn = people(harness, clock)
  let seen = -1
  const real: RealSystem = {
    harness,
    clock,
    campaignId,
    agents: [],
    async post(who, path, body, method = 'POST') {
      const token = typeof who === 'string' ? await logIn(who) : who.dispatch.taskToken
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const response = await app.fetch(path, { method, headers, body: JSON.stringify(body) })
      const answer = (await response.json()) as Record<string, unknown>
      return {
        status: response.status,
        code: (answer['error'] as { code: string } | undefined)?.code,
        body: answer,
      }
    },
    async settle(told) {
      await quiet(harness, clock)
      const news = await app.db.sql.all<{ seq: unknown; type: string; subject: string; data: unknown }>(
        `select seq, type, subject, data from event where seq > ?
         and type in ('activity_started', 'run_failed', 'approval_expired', 'approval_resolved', 'approval_escalated') order by seq`,
        [seen],
      )
      for (const { seq, type, subject, data } of news) {
        seen = asNumber(seq)
        await follow(harness, clock, told, type, subject, asJson(data) as Record<string, string>)
      }
      while (runtime.waiting > 0) real.agents.push(agentOf(app, await runtime.next()))
      expect(await rowsOf(harness), 'rows and model').toEqual(viewOf(told))
      await expectLaws(real)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  await real.settle(model)
  const owned = stack.move()
  return { model, real }
}

/** Tokens of people, who log in again when time has passed. */
function people({ app, team }: AgentHarness, clock: TestClock) {
  const held = new Map<string, { token: string; until: number }>()
  return async (who: 'admin' | 'reviewer') => {
    const known = held.get(who)
    if (known && known.until > clock.now()) return known.token
    const id = who === 'admin' ? team.adminId : team.reviewerId
    const user = await app.db.sql.get<{ email: string }>('select email from users where id = ?', [id])
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: user?.email ?? '', password, app: who === 'admin' ? 'dashboard' : 'dm-portal' },
    })
    held.set(who, { token: accessToken, until: clock.now() + 600_000 })
    return accessToken
  }
}

/** Moves the clock on, in small steps, until nothing is under way and nothing is due. */
async function quiet({ app }: AgentHarness, clock: TestClock): Promise<void> {
  let looks = 0
  await app.until(async () => {
    const now = clock.date()
    // One look at everything: between two, a run could go from one to the other.
    const open = await app.db.sql.get<{ held: unknown; due: unknown }>(
      `select (select count(*) from runs where open = ? and lease_owner is not null and lease_until > ?) as held,
        (select count(*) from runs r join campaigns c on c.id = r.campaign_id
          where r.open = ? and r.status = 'pending' and r.not_before <= ? and c.status in ('active', 'completed'))
        + (select count(*) from runs where open = ? and status = 'running' and lease_until <= ?)
        + (select count(*) from job where (status = 'waiting' and run_at <= ?) or status = 'running') as due`,
      [true, now, true, now, true, now, now],
    )
    // Time stands still while a run is in the hands of the server.
    if (asNumber(open?.held) > 0) return false
    const isDue = asNumber(open?.due) > 0
    // What is due at once is executed without a tick, so that a retry precedes the next command.
    looks += 1
    if (isDue && looks > 3) clock.advance(500)
    return !isDue
  }, 'nothing is due')
}

/** Automatic transitions are known from events, in their order: the model checks whether they are allowed. */
async function follow(
  harness: AgentHarness,
  clock: TestClock,
  model: Model,
  type: string,
  subject: string,
  data: Record<string, string>,
): Promise<void> {
  if (type === 'approval_expired') {
    const asked = model.questions.find(({ id }) => id === subject)
    if (!asked) throw new Error('an unknown approval expired')
    // Taken back with the work that it was about.
    if (asked.status === 'expired') return
    expire(model, asked, clock.now())
  } else if (type === 'approval_escalated') {
    const asked = model.questions.find(({ id }) => id === subject)
    if (asked) asked.risk = data['riskLevel'] as Question['risk']
  } else if (type === 'approval_resolved') {
    const replacedBy = data['replacedBy']
    const asked = model.reasked.find(({ id }) => id === subject)
    if ((replacedBy === undefined) !== (asked === undefined)) throw new Error('not asked again as it should')
    if (!asked || replacedBy === undefined) return
    model.reasked.splice(model.reasked.indexOf(asked), 1)
    model.questions.push({ ...asked, id: replacedBy })
  } else if (type === 'activity_started') {
    const piece = model.pieces.find(({ id }) => id === subject)
    const runId = String(data['runId'])
    if (!piece) throw new Error('an unknown activity began')
    const deadline = (await harness.run(runId))['deadline'] as Date | string | number
    begin(model, piece, runId, asInstant(deadline).getTime())
  } else if (data['status'] === 'timeout') {
    const turn = model.turns.get(subject)
    const isEarly = turn !== undefined && turn.deadline > clock.now()
    if (turn?.state !== 'running' || (isEarly && turn.ending !== 'answered'))
      throw new Error('a run timed out early')
    fail(model, turn, 'transient', isEarly)
  } else {
    const turn = model.turns.get(subject)
    // Its agent has said so, as the model knows already.
    if (turn?.state !== 'running') return
    if (turn.ending !== 'told to stop') throw new Error('a run was ended that no one had told to stop')
    fail(model, turn, 'invalid')
  }
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

function viewOf({ pieces, questions }: Model) {
  return {
    activities: pieces
      .map(({ id, status, hold, turn, texts }) => ({ id, status, hold, run: turn?.state ?? null, texts }))
      .toSorted(byId),
    approvals: questions
      .map(({ id, status, shows, expiresAt }) => ({
        id,
        status,
        shows: shows === null ? null : sha256Hex(shows),
        expiresAt,
      }))
      .toSorted(byId),
  }
}

type View = ReturnType<typeof viewOf>

async function rowsOf({ app: { db } }: AgentHarness): Promise<View> {
  const activities = await db.sql.all<Omit<View['activities'][number], 'texts'>>(
    `select a.id, a.status, a.hold, (select r.status from runs r where r.activity_id = a.id and r.open = ?) as run
     from activities a order by a.id`,
    [true],
  )
  const outputs = await db.sql.all<{ activity_id: string; text: string }>(
    'select activity_id, text from outputs order by activity_id, version',
  )
  const approvals = await db.sql.all<View['approvals'][number] & { expires_at: unknown }>(
    'select id, status, content_hash as shows, expires_at from approvals order by id',
  )
  return {
    activities: activities.map((row) => ({
      ...row,
      texts: outputs.filter((output) => output.activity_id === row.id).map(({ text }) => text),
    })),
    approvals: approvals.map(({ expires_at: at, id, status, shows }) => ({
      id,
      status,
      shows,
      expiresAt: asInstant(at).getTime(),
    })),
  }
}
