import type { Client } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { keyClient } from '../../kit/key-client.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let clock: TestClock

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

const tenMinutes = 600_000
const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const conflict = { status: 409, code: 'CONFLICT', field: undefined }
const hash = (letter: string) => letter.repeat(64)
const act = (letter = 'a') => ({
  operation: 'pause',
  line: '/pause social_writer',
  touches: 'Social writer at Tenant 1',
  actHash: hash(letter),
})

/** A reviewer with a login, and an assistant of theirs with a key. */
async function asking() {
  const { reviewer: person, reviewerId } = await app.team()
  const assistant = await keyClient(app, reviewerId)
  const request = (letter?: string, client = assistant) =>
    client.call('cli', 'POST /consents', { body: act(letter) })
  return {
    person,
    reviewerId,
    assistant,
    request,
    list: async (client = person) => (await client.call('cli', 'GET /consents')).data,
    get: (id: string, client = person) => client.call('cli', 'GET /consents/:id', { params: { id } }),
    answer: (id: string, agreed: boolean, client = person) =>
      client.call('cli', 'POST /consents/:id/answer', { params: { id }, body: { agreed } }),
    use: (id: string, body: { actHash: string; elicited?: 'accepted' | 'declined' }, client = assistant) =>
      client.call('cli', 'POST /consents/:id/use', { params: { id }, body }),
  }
}

/** The refusal of a call that must change no row. */
async function refused(call: () => Promise<unknown>) {
  const before = await fingerprint(app.db)
  const answer = await refusal(call())
  expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  return answer
}

describe('cli.consents.request', () => {
  it('creates one pending consent for an operation within ten minutes, however often it is requested', async () => {
    const { request, list } = await asking()
    const { actHash: _, ...shown } = act()
    const asked = await request()
    expect(asked).toMatchObject({
      ...shown,
      status: 'pending',
      answeredHow: null,
      expiresAt: new Date(clock.now() + tenMinutes).toISOString(),
    })
    expect(asked).not.toHaveProperty('actHash')
    expect(await request()).toEqual(asked)
    expect((await request('b')).id).not.toBe(asked.id)
    expect(await list()).toHaveLength(2)
    clock.advance(tenMinutes)
    expect((await request()).id).not.toBe(asked.id)
  })

  it('returns a consent given with a login for the same operation; a client may ask again itself', async () => {
    const { request, answer, use } = await asking()
    for (const [letter, agreed, status] of [
      ['a', true, 'agreed'],
      ['b', false, 'declined'],
    ] as const) {
      const { id } = await request(letter)
      await answer(id, agreed)
      expect(await request(letter)).toMatchObject({ id, status })
    }
    const { id } = await request('c')
    await use(id, { actHash: hash('c'), elicited: 'declined' })
    const again = await request('c')
    expect([again.status, again.id === id]).toEqual(['pending', false])
  })

  it('rejects the 101st request for consent within ten minutes', async () => {
    const { reviewerId } = await asking()
    const own = app.copydesk.as({ id: reviewerId, type: 'human', role: 'reviewer', appAccess: ['dm-portal'] })
    const request = (n: number) =>
      own.call('cli.consents.request', {
        body: { ...act(), actHash: String(n).padStart(64, '0') },
      })
    for (let n = 0; n < 100; n += 1) await request(n)
    await expect(request(100)).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
    clock.advance(tenMinutes)
    expect(await request(100)).toMatchObject({ status: 'pending' })
  })

  it('rejects an invalid hash of an operation', async () => {
    const { assistant } = await asking()
    const call = () => assistant.call('cli', 'POST /consents', { body: { ...act(), actHash: 'a' } })
    expect(await refused(call)).toMatchObject({ status: 400, field: 'actHash' })
  })
})

describe('cli.consents.list', () => {
  it('lists consents that are pending or unused, newest first, to their user only', async () => {
    const { person, request, list, answer, use } = await asking()
    const { person: stranger } = await asking()
    const [used, declined, agreed, pending] = [
      await request('a'),
      await request('b'),
      await request('c'),
      await request('d'),
    ]
    await answer(used.id, true)
    await use(used.id, { actHash: hash('a') })
    await answer(declined.id, false)
    await answer(agreed.id, true)
    const shown = await list()
    expect(shown.map(({ id, status }) => [id, status])).toEqual([
      [pending.id, 'pending'],
      [agreed.id, 'agreed'],
    ])
    expect(await list(stranger)).toEqual([])
    const query = { limit: 1, cursor: pending.id }
    expect((await person.call('cli', 'GET /consents', { query })).data).toEqual([shown[1]])
    clock.advance(tenMinutes)
    expect(await list()).toEqual([])
  })
})

describe('cli.consents.get', () => {
  it('returns a consent with its operation and state, to its user only', async () => {
    const { request, get } = await asking()
    const { person: stranger } = await asking()
    const asked = await request()
    expect(await get(asked.id)).toEqual(asked)
    expect(await refusal(get(asked.id, stranger))).toEqual(missing)
    clock.advance(tenMinutes)
    expect(await get(asked.id)).toEqual({ ...asked, status: 'expired' })
  })
})

describe('cli.consents.answer', () => {
  it('records the answer of a user with a login, once', async () => {
    const { request, answer, get } = await asking()
    for (const [letter, agreed, status] of [
      ['a', true, 'agreed'],
      ['b', false, 'declined'],
    ] as const) {
      const { id } = await request(letter)
      const answered = await answer(id, agreed)
      const answeredOn = clock.date().toISOString()
      expect(answered).toMatchObject({ id, status, answeredHow: 'login', answeredOn })
      expect(await get(id)).toEqual(answered)
      expect(await refused(() => answer(id, true))).toEqual(conflict)
    }
  })

  it('rejects a key, another user and an expired consent', async () => {
    const { request, answer, assistant } = await asking()
    const { person: stranger } = await asking()
    const { id } = await request()
    expect(await refused(() => answer(id, true, assistant))).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
    })
    expect(await refused(() => answer(id, true, stranger))).toEqual(missing)
    clock.advance(tenMinutes)
    expect(await refused(() => answer(id, true))).toEqual(conflict)
  })
})

describe('cli.consents.use', () => {
  it('uses a consent up, once', async () => {
    const { request, answer, use, get } = await asking()
    const { id } = await request()
    await answer(id, true)
    expect(await use(id, { actHash: hash('a') })).toMatchObject({ id, status: 'used', answeredHow: 'login' })
    expect((await get(id)).status).toBe('used')
    expect(await refused(() => use(id, { actHash: hash('a') }))).toEqual(conflict)
  })

  it('accepts the answer from a client that has asked the user itself', async () => {
    const { request, use } = await asking()
    const yes = await request('a')
    const used = await use(yes.id, { actHash: hash('a'), elicited: 'accepted' })
    expect(used).toMatchObject({ status: 'used', answeredHow: 'elicitation' })
    const no = await request('b')
    const declined = await use(no.id, { actHash: hash('b'), elicited: 'declined' })
    expect(declined).toMatchObject({ status: 'declined', answeredHow: 'elicitation' })
  })

  it('rejects a missing consent, a changed operation, another key and an expired consent', async () => {
    const { reviewerId, request, answer, use } = await asking()
    const other: Client = await keyClient(app, reviewerId)
    const { id } = await request()
    const same = { actHash: hash('a') }
    expect(await refused(() => use(id, same))).toEqual(conflict)
    await answer(id, true)
    expect(await refused(() => use(id, { actHash: hash('b') }))).toEqual(conflict)
    expect(await refused(() => use(id, same, other))).toEqual(missing)
    clock.advance(tenMinutes)
    expect(await refused(() => use(id, same))).toEqual(conflict)
  })
})
