import { defineEntity, p } from '@mikro-orm/core'
import { describe, expect, it } from 'vitest'
import { idColumn, instantColumn, microsColumn } from '../../packages/core/src/platform/database/columns.ts'
import {
  count,
  flag,
  instant,
  leftTable,
  like,
  nullable,
  select,
  selectDistinct,
  table,
  text,
} from '../../packages/core/src/platform/database/read.ts'
import { dialect, openTestDatabase } from '../kit/database.ts'

const Thing = defineEntity({
  name: 'Thing',
  tableName: 'things',
  properties: {
    id: idColumn(),
    kind: p.string().$type<'round' | 'flat'>(),
    pieces: p.integer(),
    costMicros: microsColumn(),
    broken: p.boolean().default(false),
    labels: p.json().$type<string[]>(),
    madeOn: instantColumn(),
    note: p.text().strictNullable(),
    parts: p.json().$type<string[]>().strictNullable(),
    soldOn: instantColumn().strictNullable(),
    priceMicros: microsColumn().strictNullable(),
    checked: p.boolean().strictNullable(),
  },
})

const types =
  dialect === 'sqlite'
    ? { instant: 'integer', json: 'text', micros: 'integer', flag: 'integer' }
    : { instant: 'timestamptz(3)', json: 'jsonb', micros: 'bigint', flag: 'boolean' }
const create = `create table things (id text, kind text, pieces integer, cost_micros ${types.micros}, broken ${types.flag},
  labels ${types.json}, made_on ${types.instant}, note text, parts ${types.json}, sold_on ${types.instant},
  price_micros ${types.micros}, checked ${types.flag})`

const madeOn = new Date('2026-03-04T05:06:07.089Z')
const round = ['1', 'round', 3, 9_007_199_254_740_991, true, '["a","b"]', madeOn]
const full = { note: 'Old', parts: '[]', soldOn: madeOn, price: 5, checked: false }

async function openThings() {
  await using stack = new AsyncDisposableStack()
  const test = stack.use(await openTestDatabase({ migrations: [] }))
  await test.db.write(async (tx) => {
    await tx.run(create)
    const insert = `insert into things values (${Array(12).fill('?').join(', ')})`
    await tx.run(insert, [...round, null, null, null, null, null] as string[])
    const { note, parts, soldOn, price, checked } = full
    await tx.run(insert, ['2', 'flat', 0, 0, false, '[]', madeOn, note, parts, soldOn, price, checked])
  })
  const owned = stack.move()
  return { db: test.db, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const t = table(Thing, 't')
const { toString: _, ...columns } = t
const thing = select(columns)

describe('a selection', () => {
  it('returns each column in the form of the entity, on both databases', async () => {
    await using things = await openThings()
    const rows = await thing.all(things.db.sql, `from ${t} order by ${t.id}`)
    expect(rows).toEqual([
      {
        id: '1',
        kind: 'round',
        pieces: 3,
        costMicros: 9_007_199_254_740_991,
        broken: true,
        labels: ['a', 'b'],
        madeOn,
        note: null,
        parts: null,
        soldOn: null,
        priceMicros: null,
        checked: null,
      },
      expect.objectContaining({
        broken: false,
        note: 'Old',
        parts: [],
        soldOn: madeOn,
        priceMicros: 5,
        checked: false,
      }),
    ])
  })

  it('returns nothing for a missing row', async () => {
    await using things = await openThings()
    expect(await thing.get(things.db.sql, `from ${t} where ${t.id} = ?`, ['3'])).toBeUndefined()
  })

  it('returns null for each column of a row that a left join has not found', async () => {
    await using things = await openThings()
    const other = leftTable(Thing, 'o')
    const { toString: _, ...all } = other
    const row = await select(all).get(things.db.sql, `from ${t} left join ${other} on ${other.id} = '3'`)
    expect(new Set(Object.values(row ?? { none: 1 }))).toEqual(new Set([null]))
  })

  it('returns expressions in their declared form', async () => {
    await using things = await openThings()
    const figures = select({
      rows: count('count(*)'),
      none: count("sum(case when t.id = '3' then 1 end)"),
      first: like(t.madeOn, 'min(t.made_on)'),
      never: nullable(instant("max(case when t.id = '3' then t.made_on end)")),
      name: text<'x'>("'x'"),
      some: flag('count(*) > 0'),
    })
    expect(await figures.get(things.db.sql, `from ${t}`)).toEqual({
      rows: 2,
      none: 0,
      first: madeOn,
      never: null,
      name: 'x',
      some: true,
    })
  })

  it('returns rows once when distinct', async () => {
    await using things = await openThings()
    expect(await selectDistinct({ madeOn: t.madeOn }).all(things.db.sql, `from ${t}`)).toEqual([{ madeOn }])
  })

  it('reads the result of a statement', async () => {
    await using things = await openThings()
    const changed = table(Thing, 'things')
    const returned = select({ id: changed.id, broken: changed.broken })
    const rows = await things.db.write((tx) =>
      returned.allOf(tx, `update things set broken = ? where id = ? returning ${returned.columns}`, [
        true,
        '2',
      ]),
    )
    expect(rows).toEqual([{ id: '2', broken: true }])
  })
})
