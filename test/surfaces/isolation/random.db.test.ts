import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { contents } from '../../domain/contents.ts'
import { brief } from '../../kit/app.ts'
import { everythingReadBy, mayCall, send } from '../../kit/isolation.ts'
import { ownersOf } from '../../kit/isolation-owners.ts'
import { type Agent, agentOf } from '../../kit/runtime.ts'
import {
  type CallerKind,
  type ComparedTenant,
  createTwoTenants,
  type TwoTenants,
} from '../../kit/two-tenants.ts'

const endpoints = describeSurfaces()
const tables = entities.map((entity) => entity.meta.tableName)

/** What a caller may try: an endpoint, where it takes an id, and what is sent. */
interface Act {
  id: string
  /** Where the ids are that are tried there, those of both tenants. */
  of?: 'campaigns' | 'activities' | 'approvals' | 'deliverables' | 'users' | 'runs' | 'skills'
  field?: string
  body?(twin: ComparedTenant, target: string): object
}

const onApproval = { of: 'approvals', field: 'approvalId' } as const
const onActivity = { of: 'activities', field: 'activityId' } as const
const onSkill = { of: 'skills', field: 'skillId' } as const
const onCampaign = { of: 'campaigns', field: 'campaignId' } as const

function verdict(id: string, resolution: string): Act {
  return { id, ...onApproval, body: ({ word }) => ({ resolution, note: `For ${word}` }) }
}

const acts: Record<string, Act> = {
  create: {
    id: 'dashboard.campaigns.create',
    body: ({ word }) => ({
      name: `Spring of ${word}`,
      brief: `${brief}\n\nOur word is ${word}.`,
      deliverables: [{ type: 'social_post', quantity: 1 }],
    }),
  },
  edit: { id: 'dashboard.campaigns.change', ...onCampaign, body: ({ word }) => ({ name: word }) },
  pause: { id: 'dashboard.campaigns.change', ...onCampaign, body: () => ({ status: 'paused' }) },
  resume: { id: 'dashboard.campaigns.change', ...onCampaign, body: () => ({ status: 'active' }) },
  archive: { id: 'dashboard.campaigns.archive', ...onCampaign },
  open: { id: 'dashboard.campaigns.get', ...onCampaign },
  filter: { id: 'dashboard.activities.list', of: 'campaigns', field: 'filter.campaignId' },
  pieces: { id: 'dashboard.deliverables.activities', of: 'deliverables', field: 'deliverableId' },
  look: { id: 'dashboard.activities.get', ...onActivity },
  retry: { id: 'dashboard.activities.retry', ...onActivity },
  comment: {
    id: 'dashboard.activities.comment',
    ...onActivity,
    body: ({ word }) => ({ text: `${word}, @agent:social_writer` }),
  },
  'read a skill': { id: 'dashboard.skills.get', ...onSkill },
  'write a skill': {
    id: 'dashboard.skills.change',
    ...onSkill,
    body: ({ word }) => ({ content: `Write like ${word}` }),
  },
  'put a skill back': { id: 'dashboard.skills.restore', ...onSkill },
  'see its versions': { id: 'dashboard.skills.version', ...onSkill },
  ask: { id: 'dashboard.approvals.get', ...onApproval },
  approve: verdict('dashboard.approvals.resolve', 'approved'),
  'send back': verdict('dashboard.approvals.resolve', 'revision_requested'),
  list: { id: 'dm.approvals.list' },
  read: { id: 'dm.approvals.get', ...onApproval },
  'approve for the tenant': verdict('dm.approvals.resolve', 'approved'),
  reject: verdict('dm.approvals.resolve', 'rejected'),
  'look at a run': { id: 'agent.runs.context', of: 'runs', field: 'runId' },
  deliver: { id: 'agent.runs.result', body: ({ word }) => ({ status: 'success', text: `Text of ${word}` }) },
  fail: { id: 'agent.runs.result', body: ({ word }) => ({ status: 'error', error: `No ${word}` }) },
  'ask about work': {
    id: 'agent.actions.create_approval',
    of: 'activities',
    field: 'linkedActivityIds',
    body: ({ word }, id) => ({ title: word, type: 'strategy_change', linkedActivityIds: [id] }),
  },
  'hand over': {
    id: 'agent.actions.reassign',
    of: 'users',
    field: 'toUserId',
    body: ({ word }, toUserId) => ({ toUserId, reason: word }),
  },
}

const infoOf = (act: Act) => {
  const info = endpoints.find(({ id }) => id === act.id)
  if (!info) throw new Error(`There is no endpoint ${act.id}`)
  return info
}

const step = fc
  .record({
    tenant: fc.constantFrom(0, 1),
    as: fc.constantFrom<CallerKind[]>('admin', 'admin', 'member', 'reviewer', 'agent'),
    does: fc.constantFrom(...Object.keys(acts)),
    /** Which of the ids of both tenants is tried. */
    which: fc.nat(999),
  })
  // Most of what a role may not do at all is left out: it is tried in its own tests.
  .filter(({ as, does }) => as === 'member' || mayCall(infoOf(acts[does] as Act), as))

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Both tenants, and what their callers have been told so far. */
interface Scene {
  two: TwoTenants
  agents: Array<Agent & { tenantId: string }>
  heard: Array<{ tenantId: string; text: string }>
}

async function take({ two, agents, heard }: Scene): Promise<void> {
  while (two.runtime.waiting > 0) {
    const dispatch = await two.runtime.next()
    agents.push({ ...agentOf(two.app, dispatch), tenantId: dispatch.tenantId })
    heard.push({ tenantId: dispatch.tenantId, text: JSON.stringify(dispatch) })
  }
}

/** The statuses that an act may end with. A run that has ended is as closed to its own agent as another's. */
function answersFor(the: { permitted: boolean; foreign: boolean; as: CallerKind }): number[] {
  if (!the.permitted) return [401, 403]
  if (the.foreign) return the.as === 'agent' ? [401, 404, 422] : [404]
  return the.as === 'agent' ? [200, 201, 401, 409, 422] : [200, 201, 202, 204, 409, 422]
}

async function perform(scene: Scene, { tenant, as, does, which }: Step) {
  const { two, agents, heard } = scene
  const twin = two.twins[tenant] as ComparedTenant
  const act = acts[does] as Act
  const info = infoOf(act)
  const own = agents.filter(({ tenantId }) => tenantId === twin.tenantId)
  const agent = own[which % own.length] as Agent
  const all = act.of
    ? await two.app.db.sql.all<{ id: string; tenant_id: string }>(
        `select id, tenant_id from ${act.of} where tenant_id is not null order by id`,
      )
    : []
  const target = all[which % all.length] ?? { id: '', tenant_id: twin.tenantId }
  const inQuery = act.field?.startsWith('filter.')
  const { status, text } = await send(two, info, {
    token: as === 'agent' ? agent.dispatch.taskToken : twin.tokens[as],
    ids: { ...twin.ids, runId: agent.runId, ...(act.field && !inQuery && { [act.field]: target.id }) },
    ...(inQuery && { query: `${act.field}=${target.id}` }),
    ...(act.body && { body: act.body(twin, target.id) }),
  })
  // What was asked for may be said again.
  heard.push({ tenantId: twin.tenantId, text: text.replaceAll(target.id || '-', '') })
  const what = `${twin.word}: ${as} ${does} ${target.id} → ${status} ${text}`
  const foreign = target.tenant_id !== twin.tenantId
  expect(answersFor({ permitted: mayCall(info, as), foreign: foreign && !inQuery, as }), what).toContain(
    status,
  )
  expect(foreign && inQuery ? JSON.parse(text) : { data: [] }, what).toMatchObject({ data: [] })
  await take(scene)
}

/** No one has been told, can read, or is written down with anything that belongs to the other. */
async function expectApart({ two, heard }: Scene): Promise<void> {
  const owners = await ownersOf(two)
  for (const { tenantId, text } of heard) expect(owners.strangersIn(text, [tenantId]), text).toEqual([])
  for (const twin of two.twins) {
    for (const kind of ['admin', 'reviewer'] as const) {
      for (const [what, text] of await everythingReadBy(two, endpoints, twin, kind))
        expect(owners.strangersIn(text, [twin.tenantId]), `${kind} ${what}`).toEqual([])
    }
  }
  for (const [table, rows] of Object.entries(await contents(two.app, tables))) {
    const owned = (rows as Array<{ tenant_id?: string | null }>).filter((row) => row.tenant_id)
    for (const row of owned) {
      const text = JSON.stringify(row)
      expect(owners.strangersIn(text, [row.tenant_id as string]), `${table} ${text}`).toEqual([])
    }
  }
}

it('random requests of two tenants in any order: each tenant sees only its own data', {
  timeout: 600_000,
}, async () => {
  await using two = await createTwoTenants()
  const scene: Scene = { two, agents: [], heard: [] }
  for (const word of ['aardvark', 'bumblebee']) {
    const { agent, tenantId } = await two.twin(word)
    scene.agents.push({ ...agent, tenantId })
  }
  let done = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      for (const one of steps) await perform(scene, one)
      two.clock.advance(1_000)
      await expectApart(scene)
      done += steps.length
    }),
    // The tenants go on from one sequence to the next, so a shorter one would not show the same.
    { seed: 20_260_410, numRuns: 8, endOnFailure: true },
  )
  expect(done).toBeGreaterThan(100)
})
