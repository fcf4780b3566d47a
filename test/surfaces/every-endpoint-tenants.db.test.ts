import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { claimsOf, ruleOf } from '../kit/callers.ts'
import { createDoor } from '../kit/door.ts'
import { callerFor, inputFor } from '../kit/inputs.ts'
import { checkNothingOfTheirs } from '../kit/judge.ts'
import { changedTables, fingerprint } from '../kit/rows.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Generated from the route tables: nobody sees a neighbour, wherever an id of the neighbour is put. */

const endpoints = describeSurfaces()
const named = (all: readonly EndpointInfo[]) =>
  all.map((info) => [`${info.method} ${info.path}`, info] as const)
/** Those whose caller has a tenant, or some; operators see everything. */
const bound = endpoints.filter((info) => {
  const rule = ruleOf(info)
  const isStaff = info.surface === 'cli' && rule?.roles.includes('reviewer')
  return isStaff || rule?.apps.some((app) => app !== 'manage')
})
const withId = bound.filter(({ definition }) => Object.values(definition.params).includes('ulid'))

let world: World
let door: ReturnType<typeof createDoor>
let before: string
let strange: Set<string>

beforeAll(async () => {
  world = await createWorld()
  door = createDoor(world)
  before = await fingerprint(world.app.db)
  strange = new Set([world.theirs.tenantId, ...Object.values(world.theirs.ids).flat()])
})

afterAll(() => world[Symbol.asyncDispose]())

function expectNothingOfTheirs(text: string, asked = '') {
  checkNothingOfTheirs(text)
  const seen = (text.match(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g) ?? []).filter(
    (id) => strange.has(id) && !asked.includes(id),
  )
  expect(seen, 'ids of another tenant').toEqual([])
}

async function expectNothingChanged() {
  expect(changedTables(before, await fingerprint(world.app.db))).toEqual([])
}

/** Where a path names a tenant, or the contract says so of one endpoint, who is not assigned to the tenant is told so. */
const isForbidden = ({ id, definition }: EndpointInfo) =>
  'tenantId' in definition.params || id === 'dm.blog.approve'

describe.each(named(withId))('%s', (_, info) => {
  const refusal = isForbidden(info) ? '403 FORBIDDEN' : '404 NOT_FOUND'

  it(`answers with ${refusal} to another tenant's id, as to one that does not exist`, async () => {
    const input = inputFor(world, info, world.theirs)
    const authorization = callerFor(world, info, input)
    const answer = await door.ask(info, { ...input, authorization })
    expect(answer.summary).toBe(refusal)
    expectNothingOfTheirs(answer.text)
    await expectNothingChanged()
    const params = Object.entries(input.params ?? {}).map(([name, value]) => {
      const isUlid = info.definition.params[name] === 'ulid'
      return [name, isUlid ? world.newId() : value] as const
    })
    const unknown = await door.ask(info, { ...input, params: Object.fromEntries(params), authorization })
    expect(unknown.summary).toBe(refusal)
  })

  it.runIf(info.method === 'GET')('shows it to whom it belongs', async () => {
    const input = inputFor(world, info, world.theirs)
    const role = info.surface === 'dm' || info.surface === 'cli' ? 'super_admin' : 'admin'
    // What assistants ask for is shown to the person that they act for, and to nobody else.
    const isPersonal = info.path.startsWith('/cli/v1/consents')
    const sub = isPersonal ? world.theirs.reviewerId : world.theirs.adminId
    const claims = { ...claimsOf(world, role), sub, tenantId: world.theirs.tenantId }
    const authorization = `Bearer ${world.tokens.sign('access', claims)}`
    expect((await door.ask(info, { ...input, authorization })).status).toBe(info.success)
  })
})

describe.each(named(bound.filter(({ method }) => method === 'GET')))('%s', (_, info) => {
  it('shows nothing of another tenant', async () => {
    const input = inputFor(world, info)
    const authorization = callerFor(world, info, input)
    expectNothingOfTheirs((await door.ask(info, { ...input, authorization })).text)
  })

  it('gives no other tenant to whoever names one', async () => {
    const input = inputFor(world, info)
    const authorization = callerFor(world, info, input)
    const { tenantId } = world.theirs
    for (const way of [{ query: { tenantId } }, { headers: { 'x-tenant-id': tenantId } }]) {
      const { status, text } = await door.ask(info, { ...input, authorization, ...way })
      // Where the tenant is the token's, nobody looks for another one.
      expect([info.success, 403]).toContain(status)
      expectNothingOfTheirs(text)
    }
    await expectNothingChanged()
  })
})

describe.each(named(bound.filter(({ definition }) => definition.query)))('%s', (_, info) => {
  it('finds nothing by ids of another tenant in its filters', async () => {
    // So many are asked for that they would be more than a minute allows.
    world.clock.advance(61_000)
    const input = inputFor(world, info)
    const authorization = callerFor(world, info, input)
    const names = Object.keys(info.definition.query?.shape ?? {}).filter((name) => /Id$|cursor$/.test(name))
    for (const name of names) {
      for (const id of strange) {
        const { status, text } = await door.ask(info, { ...input, authorization, query: { [name]: id } })
        expect([info.success, 400, 403], `${name}=${id}`).toContain(status)
        expectNothingOfTheirs(text, id)
      }
    }
  })
})

describe.each(named(bound.filter(({ definition }) => definition.body)))('%s', (_, info) => {
  it('touches nothing of another tenant that its body names', async () => {
    const input = inputFor(world, info)
    const authorization = callerFor(world, info, input)
    const foreign = { ...inputFor(world, info, world.theirs), params: input.params }
    const text = JSON.stringify(foreign.body)
    if (![...strange].some((id) => text.includes(id))) return
    const answer = await door.ask(info, { ...foreign, authorization })
    expectNothingOfTheirs(answer.text, text)
    // Where each of several is answered for itself, it is on the record that somebody asked, and nothing else.
    const isForEach = info.id.endsWith('approvals.bulk_resolve')
    const refused = isForEach ? answer.text.includes('"resolved":0') : answer.status >= 400
    expect(refused).toBe(true)
    // Whatever else is wrong with it: the tenant that it names is none of the caller's.
    const isNamed = text.includes(world.theirs.tenantId)
    expect(answer.summary).toMatch(isNamed ? /^403 FORBIDDEN$/ : /^\d/)
    expect(changedTables(before, await fingerprint(world.app.db))).toEqual(isForEach ? ['audit_records'] : [])
    if (isForEach) await world.reset()
  })
})
