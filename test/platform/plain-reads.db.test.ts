import { defineEntity, LockMode, p, raw } from '@mikro-orm/core'
import { expect, it, vi } from 'vitest'
import type { Database, Tenants } from '../../packages/core/src/platform/database/database.ts'
import { ownedByTenant } from '../../packages/core/src/platform/database/scope.ts'
import { openTestDatabase } from '../kit/database.ts'

const Note = defineEntity({
  name: 'Note',
  tableName: 'notes',
  filters: ownedByTenant,
  properties: {
    id: p.integer().primary().autoincrement(false),
    tenantId: p.string().length(26).strictNullable(),
    text: p.string().strictNullable(),
    rank: p.integer(),
    at: p.datetime(3),
    done: p.boolean(),
    data: p.json().$type<unknown>().strictNullable(),
  },
})

const day = (n: number) => new Date(Date.UTC(2026, 2, n))
const notes = Array.from({ length: 12 }, (_, id) => ({
  id,
  tenantId: ['a', 'b', null][id % 3] as string | null,
  text: id % 4 === 0 ? null : `text ${id % 5}`,
  rank: id % 6,
  at: day(id + 1),
  done: id % 2 === 0,
  data: id % 2 === 0 ? { id } : null,
}))

async function open() {
  const test = await openTestDatabase({ entities: [Note as never] })
  await test.db.unitOfWork('all', async (em) => {
    for (const note of notes) em.create(Note, note)
  })
  return test
}

/** The same question to the ORM's query builder: a fragment of SQL that is always true is no plain condition. */
const always = { [raw('1 = 1')]: [] }

const wheres: object[] = [
  {},
  { id: 3 },
  { id: 99 },
  { text: null },
  { text: 'text 1', done: false },
  { text: { $ne: 'text 1' } },
  { rank: { $in: [1, 2, 5] } },
  { rank: { $in: [] } },
  { id: { $in: [1, 2] }, tenantId: 'b' },
  { tenantId: null },
  { at: day(4) },
  { at: { $gt: day(3), $lte: day(8) } },
  { rank: { $gte: 2, $lt: 4 } },
  { done: true, at: { $in: [day(1), day(3), day(4)] } },
]
const scopes: Tenants[] = ['all', ['a'], ['a', 'b'], ['c'], []]

it('finds what the ORM finds by the same conditions, in the same order, within the same tenants', async () => {
  await using test = await open()
  for (const scope of scopes) {
    for (const where of wheres) {
      for (const options of [
        { orderBy: { id: 'asc' } },
        { orderBy: { rank: 'desc', id: 'asc' }, limit: 3 },
      ] as const) {
        const read = (condition: object) =>
          test.db.unitOfWork(scope, async (em) =>
            (await em.find(Note, condition as never, options)).map((note) => ({ ...note })),
          )
        const found = await read(where)
        expect(found, JSON.stringify({ scope, where, options })).toEqual(await read({ ...where, ...always }))
      }
    }
  }
})

it('shows no row of a tenant outside of the scope, whatever the condition', async () => {
  await using test = await open()
  await test.db.unitOfWork(['a'], async (em) => {
    expect((await em.find(Note, {})).every(({ tenantId }) => tenantId === 'a')).toBe(true)
    expect(await em.findOne(Note, { id: 1 })).toBeNull()
    expect(await em.findOne(Note, { id: 1, tenantId: 'b' })).toBeNull()
    expect(await em.findOne(Note, { tenantId: { $in: ['b'] } })).toBeNull()
  })
})

it.each([
  ['plain', {}],
  ['the ORM’s', always],
])(
  '%s: returns what is known already as the same object, changes made here before those made elsewhere',
  async (_, more) => {
    await using test = await open()
    await test.db.unitOfWork('all', async (em, tx) => {
      const lockMode = LockMode.PESSIMISTIC_WRITE
      const note = await em.findOneOrFail(Note, { id: 3, ...more })
      note.text = 'here'
      await tx.run(`update notes set text = 'elsewhere', rank = 30 where id = 3`)
      expect(await em.findOne(Note, { id: 3, ...more }, { lockMode })).toBe(note)
      expect((await em.find(Note, { at: day(4), ...more }))[0]).toBe(note)
      expect([note.text, note.rank]).toEqual(['here', 30])
      await em.findOne(Note, { id: 3, ...more }, { lockMode, refresh: true })
      expect(note.text).toBe('elsewhere')
    })
  },
)

it.each([
  ['plain', {}],
  ['the ORM’s', always],
])('%s: finds what was created before, though nobody has written it yet', async (_, more) => {
  await using test = await open()
  await test.db.unitOfWork('all', async (em) => {
    const note = em.create(Note, { ...(notes[1] as (typeof notes)[number]), id: 100, text: 'new' })
    expect(await em.findOne(Note, { text: 'new', ...more })).toBe(note)
  })
})

it('locks what it finds: of twenty that count up at once, none is lost', async () => {
  await using test = await open()
  const count = (db: Database) =>
    db.unitOfWork('all', async (em) => {
      const note = await em.findOneOrFail(Note, { id: 3 }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      note.rank += 1
    })
  const [one, two] = [test.db, await test.again()]
  await Promise.all(Array.from({ length: 20 }, (_, n) => count(n % 2 === 0 ? one : two)))
  const row = await test.db.sql.get<{ rank: number }>('select rank from notes where id = 3')
  expect(row?.rank).toBe(23)
})

it('writes changes of every kind of value, null too, and of that row only', async () => {
  await using test = await open()
  const changed = {
    id: 5,
    tenantId: null,
    text: null,
    rank: -1,
    at: day(30),
    done: true,
    data: ["it's", { b: 1 }],
  }
  await test.db.unitOfWork('all', async (em) => {
    Object.assign(await em.findOneOrFail(Note, { id: 4 }), { ...changed, id: 4, tenantId: 'b', data: null })
    const note = await em.findOneOrFail(Note, { id: 5 })
    Object.assign(note, { ...changed, tenantId: note.tenantId })
  })
  const rows = await test.db.unitOfWork('all', (em) => em.find(Note, {}, { orderBy: { id: 'asc' } }))
  const expected = notes.map((note) => {
    if (note.id === 4) return { ...changed, id: 4, tenantId: 'b', data: null }
    return note.id === 5 ? { ...changed, tenantId: note.tenantId } : note
  })
  expect(rows.map((row) => ({ ...row }))).toEqual(expected)
})

it('refuses to look for just any row, as the ORM does', async () => {
  await using test = await open()
  await expect(test.db.unitOfWork('all', (em) => em.findOne(Note, {}))).rejects.toThrow(/empty 'where'/)
})

const Page = defineEntity({
  name: 'Page',
  tableName: 'pages',
  filters: ownedByTenant,
  indexes: [
    { name: 'pages_by_note', properties: ['noteId', 'id'] },
    { name: 'pages_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'pages_by_state', properties: ['tenantId', 'state'], where: "state = 'open'" },
  ],
  properties: {
    id: p.string().primary(),
    tenantId: p.string().length(26),
    noteId: p.string().length(26),
    state: p.string(),
  },
})

it('looks for what belongs to one thing by that thing, not among all that the tenant has', async () => {
  await using opened = await openTestDatabase({ entities: [Page as never] })
  await opened.db.unitOfWork(['a'], async (em, tx) => {
    const execute = vi.spyOn(em.getConnection(), 'execute')
    await em.findOne(Page, { noteId: 'n', state: 'open' }, { orderBy: { id: 'desc' } })
    const [text] = execute.mock.lastCall as [string]
    const explain = opened.db.dialect === 'sqlite' ? 'explain query plan' : 'explain'
    if (opened.db.dialect === 'postgresql') await tx.run('set local enable_seqscan = off')
    const plan = JSON.stringify(await tx.all(`${explain} ${text}`, ['n', 'open', 'a', 1]))
    expect(plan).toContain('pages_by_note')
    expect(plan).not.toMatch(/pages_by_(tenant|state)/)
  })
})
