import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { checkNothingOfTheirs } from '../../kit/assert-contract.ts'
import { claimsOf, ruleOf } from '../../kit/callers.ts'
import { callerFor, inputFor } from '../../kit/inputs.ts'
import { createRequester } from '../../kit/requester.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { createSeededInstance, type SeededInstance } from '../../kit/seeded-instance.ts'

/** Generated from the route tables: no caller sees another tenant, wherever an id of that tenant is used. */

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

let instance: SeededInstance
let door: ReturnType<typeof createRequester>
let before: string
let strange: Set<string>

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
  before = await fingerprint(instance.app.db)
  strange = new Set([instance.theirs.tenantId, ...Object.values(instance.theirs.ids).flat()])
})

afterAll(() => instance[Symbol.asyncDispose]())

function expectNothingOfTheirs(text: string, asked = '') {
  checkNothingOfTheirs(text)
  const seen = (text.match(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g) ?? []).filter(
    (id) => strange.has(id) && !asked.includes(id),
  )
  expect(seen, 'ids of another tenant').toEqual([])
}

async function expectNothingChanged() {
  expect(changedTables(before, await fingerprint(instance.app.db))).toEqual([])
}

/**
 * When a path names a tenant, or the contract says so of one endpoint, callers without an assignment get a
 * specific error.
 */
const isForbidden = ({ id, definition }: EndpointInfo) =>
  'tenantId' in definition.params || id === 'dm.blog.approve'

describe.each(named(withId))('%s', (_, info) => {
  const refusal = isForbidden(info) ? '403 FORBIDDEN' : '404 NOT_FOUND'

  it(`answers with ${refusal} to another tenant's id, as to one that does not exist`, async () => {
    const input = inputFor(instance, info, instance.theirs)
    const authorization = callerFor(instance, info, input)
    const answer = await door.ask(info, { ...input, authorization })
    expect(answer.summary).toBe(refusal)
    expectNothingOfTheirs(answer.text)
    await expectNothingChanged()
    const params = Object.entries(input.params ?? {}).map(([name, value]) => {
      const isUlid = info.definition.params[name] === 'ulid'
      return [name, isUlid ? instance.newId() : value] as const
    })
    const unknown = await door.ask(info, { ...input, params: Object.fromEntries(params), authorization })
    expect(unknown.summary).toBe(refusal)
  })

  it.runIf(info.method === 'GET')('returns it to its tenant', async () => {
    const input = inputFor(instance, info, instance.theirs)
    const role = info.surface === 'dm' || info.surface === 'cli' ? 'super_admin' : 'admin'
    // What assistants ask for is shown to the person that they act for, and to no one else.
    const isPersonal = info.path.startsWith('/cli/v1/consents')
    const sub = isPersonal ? instance.theirs.reviewerId : instance.theirs.adminId
    const claims = { ...claimsOf(instance, role), sub, tenantId: instance.theirs.tenantId }
    const authorization = `Bearer ${instance.tokens.sign('access', claims)}`
    expect((await door.ask(info, { ...input, authorization })).status).toBe(info.success)
  })
})

describe.each(named(bound.filter(({ method }) => method === 'GET')))('%s', (_, info) => {
  it('returns nothing of another tenant', async () => {
    const input = inputFor(instance, info)
    const authorization = callerFor(instance, info, input)
    expectNothingOfTheirs((await door.ask(info, { ...input, authorization })).text)
  })

  it('does not give access to another tenant by naming it', async () => {
    const input = inputFor(instance, info)
    const authorization = callerFor(instance, info, input)
    const { tenantId } = instance.theirs
    for (const way of [{ query: { tenantId } }, { headers: { 'x-tenant-id': tenantId } }]) {
      const { status, text } = await door.ask(info, { ...input, authorization, ...way })
      // Where the tenant is the token's, no one looks for another one.
      expect([info.success, 403]).toContain(status)
      expectNothingOfTheirs(text)
    }
    await expectNothingChanged()
  })
})

describe.each(named(bound.filter(({ definition }) => definition.query)))('%s', (_, info) => {
  it('returns nothing for ids of another tenant in filters', async () => {
    const input = inputFor(instance, info)
    const authorization = callerFor(instance, info, input)
    const names = Object.keys(info.definition.query?.shape ?? {}).filter((name) => /Id$|cursor$/.test(name))
    for (const name of names) {
      // Those of two filters would be more than a minute allows.
      instance.clock.advance(61_000)
      for (const id of strange) {
        const { status, text } = await door.ask(info, { ...input, authorization, query: { [name]: id } })
        expect([info.success, 400, 403], `${name}=${id}`).toContain(status)
        expectNothingOfTheirs(text, id)
      }
    }
  })
})

describe.each(named(bound.filter(({ definition }) => definition.body)))('%s', (_, info) => {
  it('changes nothing of another tenant named in the body', async () => {
    const input = inputFor(instance, info)
    const authorization = callerFor(instance, info, input)
    const foreign = { ...inputFor(instance, info, instance.theirs), params: input.params }
    const text = JSON.stringify(foreign.body)
    if (![...strange].some((id) => text.includes(id))) return
    const answer = await door.ask(info, { ...foreign, authorization })
    expectNothingOfTheirs(answer.text, text)
    // Where each of several is answered for itself, it is on the record that someone asked, and nothing else.
    const isForEach = info.id.endsWith('approvals.bulk_resolve')
    const refused = isForEach ? answer.text.includes('"resolved":0') : answer.status >= 400
    expect(refused).toBe(true)
    // Whatever else is wrong with it: the tenant that it names is none of the caller's.
    const isNamed = text.includes(instance.theirs.tenantId)
    expect(answer.summary).toMatch(isNamed ? /^403 FORBIDDEN$/ : /^\d/)
    expect(changedTables(before, await fingerprint(instance.app.db))).toEqual(
      isForEach ? ['audit_records'] : [],
    )
    if (isForEach) await instance.reset()
  })
})
