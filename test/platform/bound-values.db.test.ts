import { defineEntity, p, raw } from '@mikro-orm/core'
import { describe, expect, it } from 'vitest'
import { dialect, openTestDatabase } from '../kit/database.ts'

const Thing = defineEntity({
  name: 'Thing',
  tableName: 'things',
  properties: {
    id: p.integer().primary().autoincrement(false),
    text: p.text().strictNullable(),
    at: p.datetime(3).strictNullable(),
    flag: p.boolean().strictNullable(),
    whole: p.integer().strictNullable(),
    broken: p.double().strictNullable(),
    json: p.json().$type<unknown>().strictNullable(),
    bytes: p.blob().strictNullable(),
  },
})
const open = () => openTestDatabase({ entities: [Thing as never] })

const hostile = [
  `it's "quoted", back\\slashed \\? and asked: ? ?? \\\\?`,
  '$1 $2 :name @name % _ -- /* x */ ;',
  "E'\\x00' \n\r\t \u{1f3fa} e\u0301 \u202e",
  '',
  `'); drop table things; --`,
]
const empty = { text: null, at: null, flag: null, whole: null, broken: null, json: null, bytes: null }

describe('a unit of work', () => {
  it('stores and finds every kind of value as it was given', async () => {
    await using test = await open()
    const rows = [
      ...hostile.map((text, id) => ({ ...empty, id, text })),
      {
        ...empty,
        id: 10,
        at: new Date('2026-03-29T00:59:59.999Z'),
        flag: true,
        whole: -2_147_483_648,
        broken: 0.1,
      },
      { ...empty, id: 11, at: new Date(0), flag: false, whole: 2_147_483_647, broken: -1e-300 },
      {
        ...empty,
        id: 12,
        json: { 'a?': ["it's", 1.5, null, { b: [] }], c: '\\?' },
        bytes: Buffer.from([0, 39, 255]),
      },
      { ...empty, id: 13, json: [1, 'two'] },
    ]
    await test.db.unitOfWork('all', async (em) => {
      for (const row of rows) em.create(Thing, row)
    })
    await test.db.unitOfWork('all', async (em) => {
      const found = await em.find(Thing, {}, { orderBy: { id: 'asc' } })
      expect(found.map((thing) => ({ ...thing, bytes: thing.bytes && Buffer.from(thing.bytes) }))).toEqual(
        rows,
      )
      for (const { id, text } of rows.slice(0, hostile.length))
        expect(await em.findOne(Thing, { text, id: { $in: [id, 99] } })).toMatchObject({ id })
      expect(await em.count(Thing, { at: { $gt: new Date(0) }, flag: true })).toBe(1)
      expect(await em.count(Thing, { id: { $nin: [1, 2, 3] } })).toBe(rows.length - 3)
      expect(await em.find(Thing, { [raw('upper(text)')]: "'); DROP TABLE THINGS; --" })).toHaveLength(1)
    })
  })

  it('changes many rows at once, each to its own values', async () => {
    await using test = await open()
    await test.db.unitOfWork('all', async (em) => {
      for (let id = 0; id < 400; id += 1) em.create(Thing, { ...empty, id })
    })
    const changed = (id: number) => ({
      ...empty,
      id,
      text: hostile[id % hostile.length] as string,
      at: new Date(id),
      flag: id % 2 === 0,
      json: { id },
    })
    await test.db.unitOfWork('all', async (em) => {
      for (const thing of await em.find(Thing, {})) Object.assign(thing, changed(thing.id))
    })
    const rows = await test.db.unitOfWork('all', (em) => em.find(Thing, {}, { orderBy: { id: 'asc' } }))
    expect(rows.map((row) => ({ ...row }))).toEqual(rows.map(({ id }) => changed(id)))
    expect(rows).toHaveLength(400)
  })

  it.runIf(dialect === 'postgresql')(
    'has the server prepare a repeated text once, whatever its values',
    async () => {
      await using test = await open()
      const kept = await test.db.unitOfWork('all', async (em, tx) => {
        for (let id = 0; id < 5; id += 1) await em.findOne(Thing, { id, text: `text ${id}` })
        return tx.all<{ name: string; statement: string }>(
          `select name, statement from pg_prepared_statements where statement like '%"id" = $1 and "text" = $2%'`,
        )
      })
      expect(kept).toEqual([
        { name: expect.stringMatching(/^copydesk_[\w-]{22}$/), statement: expect.stringContaining('$2') },
      ])
    },
  )
})
