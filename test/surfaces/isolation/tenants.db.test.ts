import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { contents } from '../../domain/contents.ts'
import { type Answer, everythingReadBy, mayCall, send } from '../../kit/isolation.ts'
import { bodyFor } from '../../kit/isolation-bodies.ts'
import { type Owners, ownersOf } from '../../kit/isolation-owners.ts'
import { labelOf, type Place, placesOf, tenantless } from '../../kit/isolation-places.ts'
import {
  type CallerKind,
  type ComparedTenant,
  callerKinds,
  createTwoTenants,
  type IsolationCaller,
  knockers,
  type TwoTenants,
} from '../../kit/two-tenants.ts'

/** Generated from the route tables: no caller sees another tenant, with any id and on any read. */

// Operators see every tenant, and no one else gets in: that is tried with the callers of every endpoint.
const endpoints = describeSurfaces().filter(
  ({ id, access }) =>
    !id.startsWith('admin.') &&
    (access.public || access.roles === 'any' || access.roles.some((role) => role !== 'super_admin')),
)
const places = placesOf(endpoints).filter((place) => !(labelOf(place) in tenantless))
const tables = entities.map((entity) => entity.meta.tableName)
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

let two: TwoTenants
let a: ComparedTenant
let b: ComparedTenant
/** What the callers of the first tenant read before there was a second. */
let alone: Map<CallerKind, Map<string, string>>
let owners: Owners

const readings = async (twin: ComparedTenant, more?: Parameters<typeof everythingReadBy>[4]) => {
  const all = new Map<CallerKind, Map<string, string>>()
  for (const kind of callerKinds) all.set(kind, await everythingReadBy(two, endpoints, twin, kind, more))
  return all
}

beforeAll(async () => {
  two = await createTwoTenants()
  a = await two.twin('aardvark')
  alone = await readings(a)
  b = await two.twin('bumblebee')
  owners = await ownersOf(two)
})

afterAll(() => two[Symbol.asyncDispose]())

/** Calls an endpoint as a caller of the first tenant, with one id that is not its own. */
function attempt(place: Place, kind: IsolationCaller, id: string): Promise<Answer> {
  const { info, in: where, field, name } = place
  const ids = where === 'query' ? a.ids : { ...a.ids, [name]: id }
  const body = bodyFor(info, ids, labelOf(place))
  return send(two, info, {
    token: a.tokens[kind],
    ids,
    ...(body && { body }),
    ...(where === 'query' && { query: `${requiredQuery[info.id] ?? ''}${field}=${id}` }),
  })
}

/** What a query must have beside an id; an id that it must have is refused as one in a path is. */
const requiredQuery: Readonly<Record<string, string>> = {
  'tenant.campaigns.import_list': 'channel=search_ads&',
}

const error = (status: number, code: string) => ({ status, body: { error: { code } } })

/** What the contract answers to each kind of caller with an id of someone else. */
function refusalFor(
  { info, in: where, name }: Place,
  kind: IsolationCaller,
): { status: number; body: object } {
  const credentials = info.access.public ? [] : info.access.credentials
  if (kind === 'key' && !credentials.includes('apikey')) return error(401, 'UNAUTHORIZED')
  // Where only keys are taken, no token is looked at.
  if (kind !== 'key' && credentials.every((credential) => credential === 'apikey'))
    return error(401, 'UNAUTHORIZED')
  if (kind !== 'key' && !credentials.includes(kind === 'agent' ? 'task' : 'jwt'))
    return error(401, 'INVALID_TOKEN')
  if (!mayCall(info, kind)) return error(403, 'FORBIDDEN')
  // A task token is good for the run that it was made for.
  if (name === 'runId') return error(401, 'UNAUTHORIZED')
  // Of several, each is answered for itself.
  if (name === 'approvalIds') return { status: 200, body: { resolved: 0, failed: [{ code: 'NOT_FOUND' }] } }
  if (name === 'ids')
    return { status: 200, body: { resolved: 0, skipped: 1, items: [{ title: '', tenantName: '' }] } }
  // A named tenant is rejected by its name, wherever it is named, and so is a post, which belongs to a tenant
  // there.
  if (name === 'tenantId' || info.id === 'dm.blog.approve') return error(403, 'FORBIDDEN')
  return where === 'query' && !requiredQuery[info.id]
    ? { status: 200, body: { data: [] } }
    : error(404, 'NOT_FOUND')
}

describe('the route tables', () => {
  it('contain no id parameter without a test with an id of another tenant', () => {
    const untried = places.filter(({ name }) => !a.ids[name] || !b.ids[name])
    expect(untried.map(labelOf), 'add an id of that kind to `ids` in two-tenants.ts').toEqual([])
    const bodiless = places.filter(({ info }) => info.definition.body && !bodyFor(info, a.ids))
    expect(
      bodiless.map(({ info }) => info.id),
      'add a body to `bodies` in test/kit/isolation-bodies.ts',
    ).toEqual([])
    const labels = placesOf(endpoints).map(labelOf)
    expect(Object.keys(tenantless).filter((label) => !labels.includes(label))).toEqual([])
  })
})

describe.each(
  places.filter(({ name }) => name !== 'cursor').map((place) => [labelOf(place), place] as const),
)('of another tenant, %s', (_, place) => {
  it('is treated like an unknown id for each kind of caller, and changes nothing', async () => {
    const before = await contents(two.app, tables)
    const theirs = b.ids[place.name] ?? ''
    for (const kind of knockers) {
      const { status, text } = await attempt(place, kind, theirs)
      expect({ status, body: JSON.parse(text) }, kind).toMatchObject(refusalFor(place, kind))
      expect(text.replaceAll(theirs, '…')).toBe(
        (await attempt(place, kind, unknownId)).text.replaceAll(unknownId, '…'),
      )
      expect(owners.strangersIn(text.replaceAll(theirs, ''), [a.tenantId])).toEqual([])
    }
    const after = await contents(two.app, tables)
    // Where each of several is answered for itself, it is on the record that someone asked.
    if (place.name === 'approvalIds' || place.name === 'ids') after['audit_records'] = before['audit_records']
    expect(after).toEqual(before)
  })
})

describe.each(places.filter(({ name }) => name === 'cursor').map((place) => [place.info.id, place] as const))(
  'a cursor of another tenant in %s',
  (_, place) => {
    it('is treated like an unknown cursor, and returns nothing', async () => {
      for (const kind of knockers.filter((kind) => mayCall(place.info, kind))) {
        // What has another form is no cursor at all.
        for (const cursor of Object.values(b.ids).filter((id) => id.length === unknownId.length)) {
          const answer = await attempt(place, kind, cursor)
          expect(answer.status, answer.text).toBe((await attempt(place, kind, unknownId)).status)
          expect(owners.strangersIn(answer.text, [a.tenantId])).toEqual([])
        }
      }
    })
  },
)

/** Without what the time of reading changes: links are signed again each time, and what waits grows older. */
const timeless = (text: string | undefined) =>
  text
    ?.replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '…')
    .replaceAll(/"(oldestPendingApprovalAgeH|oldestWaitingAgeS|expiresInH|ageMinutes)":[\d.]+/g, '"$1":0')
    .replaceAll(/"(?:timestamp|computedAt)":"[^"]+"|the oldest for \d+ s/g, '…')

describe('what a tenant reads', () => {
  it('is identical to the byte, counts included, whether there is another tenant or not', async () => {
    const now = await readings(a)
    for (const [kind, answers] of alone)
      for (const [what, text] of answers)
        expect(timeless(now.get(kind)?.get(what)), `${kind}: ${what}`).toBe(timeless(text))
  })

  it('contains nothing of the other, in lists, filters, pages, counts and details', async () => {
    for (const [twin, other] of [
      [a, b],
      [b, a],
    ] as const) {
      for (const [kind, answers] of await readings(twin)) {
        for (const [what, text] of answers)
          expect(owners.strangersIn(text, [twin.tenantId]), `${kind}: ${what}`).toEqual([])
        const everything = [...answers.values()].join()
        expect(owners.countIn(everything, twin.tenantId), kind).toBeGreaterThan(kind === 'agent' ? 3 : 8)
        expect(everything).toContain(twin.word)
        expect(everything).not.toContain(other.word)
      }
    }
  })

  it('does not change when the request names another tenant', async () => {
    const named = { headers: { 'x-tenant-id': b.tenantId } }
    const byHeader = await readings(a, named)
    const byBoth = await readings(a, { ...named, query: `tenantId=${b.tenantId}` })
    for (const kind of ['admin', 'member', 'agent'] as const) {
      const [before, header, both] = [alone, byHeader, byBoth].map((all) =>
        // There a caller names the own tenant or is refused, as the places above show.
        [...(all.get(kind) ?? [])]
          .filter(([what]) => !what.startsWith('tenant.'))
          .map(([what, text]) => [what, timeless(text)]),
      )
      expect(header).toEqual(before)
      expect(both).toEqual(before)
    }
  })
})

describe('what an agent is told', () => {
  it('contains only feedback of its own tenant on the same deliverable type', () => {
    expect(b.dispatches.length).toBe(a.dispatches.length)
    for (const twin of [a, b]) {
      const told = JSON.stringify(twin.dispatches)
      expect(told).toContain(`More ${twin.word}`)
      expect(owners.strangersIn(told, [twin.tenantId])).toEqual([])
    }
  })
})

// The last ones: these calls are carried out.
describe('with an id of its own', () => {
  // Decided items are in no list and no feed any more; operations that end a run or remove something come
  // last.
  const ends = ({ info: { id, method } }: Place) =>
    /result|callback|delete/.test(id) ? 2 : method === 'GET' || /feed/.test(id) ? 0 : 1
  it('these requests succeed with ids of the same tenant: only the tenant makes the difference', async () => {
    // Each list takes the ids of its own items only, which has a test for every list.
    const others = places.filter(({ name }) => name !== 'cursor')
    const removed = new Set<string | undefined>()
    for (const place of others.toSorted((x, y) => ends(x) - ends(y))) {
      // What one endpoint has removed, another one does not find.
      const last = place.info.definition.names.at(-1)
      if (place.info.method === 'DELETE' && removed.has(last)) continue
      if (place.info.method === 'DELETE') removed.add(last)
      const kinds = knockers.filter((kind) => mayCall(place.info, kind))
      expect(kinds, labelOf(place)).not.toEqual([])
      const answer = await attempt(place, kinds[0] as IsolationCaller, a.ids[place.name] ?? '')
      // Earlier calls have changed what may be done with it: told as 409, 422 or, where the contract has it so, BAD_REQUEST.
      if (answer.code === 'BAD_REQUEST') continue
      expect([200, 201, 202, 204, 409, 422], `${labelOf(place)} ${answer.text}`).toContain(answer.status)
    }
  })
})
