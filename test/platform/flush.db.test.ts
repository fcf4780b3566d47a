import { defineEntity, p, UniqueConstraintViolationException } from '@mikro-orm/core'
import { expect, it } from 'vitest'
import { newRow } from '../../packages/core/src/platform/database/new-rows.ts'
import { dialect, openTestDatabase } from '../kit/database.ts'

const Thing = defineEntity({
  name: 'Thing',
  tableName: 'things',
  properties: {
    id: p.integer().primary().autoincrement(false),
    name: p.string().unique(),
    data: p.json().$type<unknown>().strictNullable(),
    at: p.datetime(3),
  },
})
const Counted = defineEntity({
  name: 'Counted',
  tableName: 'counted',
  properties: { id: p.integer().primary(), name: p.string(), done: p.boolean().default(false) },
})

const at = new Date('2026-03-29T00:59:59.999Z')
const open = () => openTestDatabase({ entities: [Thing as never, Counted as never] })

async function contentsOf({ db }: Awaited<ReturnType<typeof open>>) {
  const [things, counted] = await db.unitOfWork('all', async (em) => [
    await em.find(Thing, {}, { orderBy: { id: 'asc' } }),
    await em.find(Counted, {}, { orderBy: { id: 'asc' } }),
  ])
  return { things: things!.map((row) => ({ ...row })), counted: counted!.map((row) => ({ ...row })) }
}

it('writes what was created, changed and removed in several tables, and rows besides', async () => {
  await using test = await open()
  await test.db.unitOfWork('all', async (em, tx) => {
    for (const id of [1, 2, 3]) em.create(Thing, { id, name: `thing ${id}`, data: null, at })
    await test.db.flush(em, tx, [])
  })
  await test.db.unitOfWork('all', async (em, tx) => {
    const [one, two, three] = await em.find(Thing, {}, { orderBy: { id: 'asc' } })
    Object.assign(one!, { name: 'changed', data: { "it's": ['?', null] } })
    Object.assign(two!, { at: new Date(0) })
    em.remove(three!)
    em.create(Thing, { id: 4, name: 'thing 4', data: [1, 'two'], at })
    const made = em.create(Counted, { name: 'counted by the database' })
    await test.db.flush(em, tx, [
      newRow(Thing, { id: 5, name: 'thing 5', data: { five: '?' }, at }),
      newRow(Counted, { name: 'a row' }),
      newRow(Counted, { name: 'another row' }),
    ])
    expect(made.id).toBe(1)
  })
  expect(await contentsOf(test)).toEqual({
    things: [
      { id: 1, name: 'changed', data: { "it's": ['?', null] }, at },
      { id: 2, name: 'thing 2', data: null, at: new Date(0) },
      { id: 4, name: 'thing 4', data: [1, 'two'], at },
      { id: 5, name: 'thing 5', data: { five: '?' }, at },
    ],
    counted: [
      { id: 1, name: 'counted by the database', done: false },
      { id: 2, name: 'a row', done: false },
      { id: 3, name: 'another row', done: false },
    ],
  })
})

it('writes nothing at all when one of the statements fails', async () => {
  await using test = await open()
  const fail = test.db.unitOfWork('all', async (em, tx) => {
    em.create(Thing, { id: 1, name: 'same', data: null, at })
    em.create(Counted, { name: 'counted' })
    await test.db.flush(em, tx, [newRow(Thing, { id: 2, name: 'same', data: null, at })])
  })
  await expect(fail).rejects.toThrow(/unique/i)
  expect(await contentsOf(test)).toEqual({ things: [], counted: [] })
})

it('says which constraint a change breaks as the ORM says it, so that a command can be tried again', async () => {
  await using test = await open()
  const add = (id: number) =>
    test.db.unitOfWork('all', async (em, tx) => {
      em.create(Thing, { id, name: 'same', data: null, at })
      em.create(Counted, { id, name: 'beside' })
      await test.db.flush(em, tx, [newRow(Counted, { name: 'a row' })])
    })
  await add(10)
  await expect(add(11)).rejects.toThrow(UniqueConstraintViolationException)
})

it.runIf(dialect === 'postgresql')('sends one statement for what needs no answer', async () => {
  await using test = await open()
  await test.db.unitOfWork('all', async (em, tx) => {
    em.create(Thing, { id: 1, name: 'one', data: null, at })
    const rows = [newRow(Thing, { id: 2, name: 'two', data: null, at }), newRow(Counted, { name: 'three' })]
    await test.db.flush(em, tx, rows)
    const written = await tx.all(`select distinct cmin::text || xmin::text as command from things
      union select cmin::text || xmin::text from counted`)
    // Commands of one statement have one number.
    expect(written).toHaveLength(1)
  })
})

it('does not say that it has written when a statement had failed and nobody noticed', async () => {
  await using test = await open()
  const write = test.db.unitOfWork('all', async (em, tx) => {
    em.create(Thing, { id: 1, name: 'one', data: null, at })
    await tx.run('insert into nowhere (id) values (1)').catch(() => undefined)
    await test.db.flush(em, tx, [])
  })
  const outcome = await write.then(
    () => 'written',
    (error: Error) => error.message,
  )
  // SQLite takes back the one statement, PostgreSQL all of them.
  const [said, rows] = dialect === 'sqlite' ? ['written', 1] : [/aborted|had failed before/, 0]
  expect(outcome).toMatch(said as string)
  expect((await contentsOf(test)).things).toHaveLength(rows as number)
})

it('refuses what comes after the end, be it good or bad', async () => {
  await using test = await open()
  const late: Array<() => Promise<unknown>> = []
  for (const end of [undefined, new Error('given up')]) {
    await test.db
      .unitOfWork('all', async (em) => {
        const transaction = em.getTransactionContext()
        late.push(() => em.getConnection().execute('delete from things', [], 'run', transaction))
        if (end) throw end
      })
      .catch(() => undefined)
  }
  for (const statement of late) await expect(statement()).rejects.toThrow('The transaction has ended')
})
