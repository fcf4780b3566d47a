import { describe, expect, it } from 'vitest'
import type { Ctx, Transaction } from '../../packages/core/src/kernel/context.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import { compareData, compareTexts } from '../../packages/core/src/kernel/versions/comparisons.ts'
import { ConfigVersion } from '../../packages/core/src/kernel/versions/entities.ts'
import { getVersion, listVersions } from '../../packages/core/src/kernel/versions/queries.ts'
import {
  saveVersion,
  type VersionChange,
  type VersionSubject,
  versionData,
} from '../../packages/core/src/kernel/versions/save.ts'
import { createTestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { parts } from './agents.ts'

const subject: VersionSubject = { kind: 'agent_config', subjectId: 'poet', tenantId: null }
const long = (end: string) => `You write poems.\n\nKeep to the form.\n${end}`

async function harness() {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false })
  const inside = await parts(app)
  const keep = (ctx: Ctx, change: Omit<VersionChange, keyof VersionSubject>, whose = subject) =>
    transact(ctx, (txn) => saveVersion(txn, { ...whose, ...change }))
  return {
    clock,
    app,
    inside,
    keep,
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

describe('keepVersion', () => {
  it('stores the original with the first change, and each change after it, with its author', async () => {
    await using t = await harness()
    const system = t.inside.system()
    const since = new Date(t.clock.now() - 5_000)
    const [one, two, three] = [{ prompt: 'one' }, { prompt: 'two', extra: undefined }, { prompt: 'three' }]
    expect(await t.keep(system, { before: { data: one, since }, after: two })).toBe(2)
    t.clock.advance(1_000)
    const before = { data: two, since: t.clock.date() }
    expect(await t.keep(system, { before, after: three, note: 'Shorter' })).toBe(3)
    const { data, pagination } = await listVersions(system, subject)
    const by = { id: 'system', name: 'Copydesk' }
    expect(data).toMatchObject([
      { version: 3, createdBy: by, createdOn: t.clock.date(), note: 'Shorter' },
      { version: 2, note: null },
      { version: 1, createdBy: by, createdOn: since, note: null },
    ])
    expect(pagination).toEqual({ hasMore: false, nextCursor: null })
    const first = await listVersions(system, subject, { limit: 2, order: 'asc' })
    expect(first.data.map(({ version }) => version)).toEqual([1, 2])
    const cursor = first.pagination.nextCursor ?? ''
    const rest = await listVersions(system, subject, { limit: 2, order: 'asc', cursor })
    expect(rest.data.map(({ version }) => version)).toEqual([3])
    expect(await transact(system, (txn: Transaction) => versionData(txn, subject, 1))).toEqual(one)
  })

  it('creates no version for a change without effect', async () => {
    await using t = await harness()
    const system = t.inside.system()
    await t.keep(system, { after: { b: [1], a: { c: 2, d: null } } })
    const same = { a: { d: null, c: 2 }, b: [1], gone: undefined }
    expect(await t.keep(system, { before: { data: same, since: t.clock.date() }, after: same })).toBe(1)
    expect((await listVersions(system, subject)).data).toHaveLength(1)
  })

  it('stores changes made without versioning before the next one', async () => {
    await using t = await harness()
    const system = t.inside.system()
    await t.keep(system, { after: { n: 1 } })
    const before = { data: { n: 2 }, since: t.clock.date() }
    expect(await t.keep(system, { before, after: { n: 3 } })).toBe(3)
    expect((await getVersion(system, subject, 2)).data).toEqual({ n: 2 })
  })

  it('is part of its transaction: a rollback creates no version', async () => {
    await using t = await harness()
    const system = t.inside.system()
    const broken = transact(system, async (txn) => {
      await saveVersion(txn, { ...subject, after: { n: 1 } })
      throw new Error('too late')
    })
    await expect(broken).rejects.toThrow('too late')
    expect(await t.app.db.sql.all('select * from config_versions')).toEqual([])
  })

  it('never uses a number twice', async () => {
    await using t = await harness()
    await t.keep(t.inside.system(), { after: { n: 1 } })
    const twice = transact(t.inside.system(), async (txn) => {
      const known = await txn.em.findOneOrFail(ConfigVersion, { version: 1 })
      const { createdById, createdByName, createdOn } = known
      txn.em.create(ConfigVersion, {
        id: txn.newId(),
        ...subject,
        version: 1,
        data: { n: 9 },
        createdById,
        createdByName,
        createdOn,
        note: null,
      })
    })
    await expect(twice).rejects.toThrow(/config_versions|unique/i)
    expect((await getVersion(t.inside.system(), subject, 1)).data).toEqual({ n: 1 })
  })
})

describe('getVersion', () => {
  it('returns the changes since another version, field by field and texts word by word', async () => {
    await using t = await harness()
    const system = t.inside.system()
    const first = { prompt: long('Be brief.'), limits: { turns: 3, seconds: 60 }, tools: ['a'], gone: 1 }
    const second = { prompt: long('Be very brief.'), limits: { turns: 4, seconds: 60 }, tools: ['a', 'b'] }
    await t.keep(system, { before: { data: first, since: t.clock.date() }, after: second })
    const found = await getVersion(system, subject, 2, { against: 1 })
    expect(found).toMatchObject({ version: 2, data: second, against: 1 })
    expect(found.changes).toEqual([
      { field: 'gone', before: 1 },
      { field: 'limits.turns', before: 3, after: 4 },
      {
        field: 'prompt',
        before: first.prompt,
        after: second.prompt,
        diff: [
          { change: 'same', text: long('Be ') },
          { change: 'added', text: 'very ' },
          { change: 'same', text: 'brief.' },
        ],
      },
      { field: 'tools', before: ['a'], after: ['a', 'b'] },
    ])
    expect((await getVersion(system, subject, 1, { against: 1 })).changes).toEqual([])
    for (const [version, against] of [
      [3, 1],
      [1, 3],
    ] as const)
      await expect(getVersion(system, subject, version, { against })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
  })

  it('is visible to those who can read its subject: not to other tenants', async () => {
    await using t = await harness()
    const [ours, theirs] = [await t.app.team(), await t.app.team()]
    const own: VersionSubject = { kind: 'agent', subjectId: t.inside.newId(), tenantId: ours.tenantId }
    const admin = t.inside.adminOf(ours.tenantId)
    const stranger = t.inside.adminOf(theirs.tenantId)
    await t.keep(admin, { after: { n: 1 } }, own)
    await t.keep(t.inside.system(), { after: { n: 1 } })
    expect((await getVersion(admin, own, 1)).createdBy.name).toBe('Ada Admin')
    for (const [ctx, whose] of [
      [stranger, own],
      [stranger, { ...own, tenantId: theirs.tenantId }],
      [admin, subject],
    ] as const) {
      expect((await listVersions(ctx, whose)).data).toEqual([])
      await expect(getVersion(ctx, whose, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(transact(ctx, (txn) => versionData(txn, whose, 1))).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })
})

describe('compareData', () => {
  it('distinguishes null from a missing field, and a text from a number', async () => {
    await using t = await harness()
    expect(await compareData(t.inside.system(), { a: 1, b: 1, c: 'x' }, { a: null, c: 2 })).toEqual([
      { field: 'a', before: 1, after: null },
      { field: 'b', before: 1 },
      { field: 'c', before: 'x', after: 2 },
    ])
  })
})

describe('compareTexts', () => {
  const words = (n: number, seed: number) =>
    Array.from({ length: n }, (_, i) => `w${(i * seed) % 7919}${i % 9 === 0 ? '\n' : ' '}`).join('')

  it('restores both texts from the difference, whatever the size, and marks a coarse comparison', async () => {
    await using t = await harness()
    for (const [before, after, granularity] of [
      ['', 'a b', undefined],
      ['a b', '', undefined],
      ['same', 'same', undefined],
      [words(40, 3), words(40, 5), undefined],
      [words(500, 3), words(500, 5), undefined],
      [words(60_000, 3), `${words(60_000, 3)}end`, 'line'],
      [words(60_000, 3), words(60_000, 5), 'whole'],
    ] as const) {
      const compared = await compareTexts(t.inside.system(), before, after)
      const without = (change: string) =>
        compared.parts
          .filter((part) => part.change !== change)
          .map(({ text }) => text)
          .join('')
      expect(without('added') === before && without('removed') === after).toBe(true)
      expect(compared.granularity).toBe(granularity)
    }
  })

  it('rejects a user with THROTTLED who requests too many comparisons concurrently, and no one else', async () => {
    await using t = await harness()
    const [one, other] = [await t.app.team(), await t.app.team()].map(({ tenantId }) =>
      t.inside.adminOf(tenantId),
    )
    if (!one || !other) throw new Error('two people are needed')
    const asked = Array.from({ length: 12 }, (_, n) =>
      compareTexts(one, words(2_000, 3), words(2_000, n + 5)),
    )
    const foreign = compareTexts(other, words(2_000, 7), words(2_000, 9))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9)
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code?: string }).code] : [],
    )
    expect(refused).toEqual(['THROTTLED', 'THROTTLED', 'THROTTLED'])
    expect((await foreign).parts.length).toBeGreaterThan(0)
  })

  it('compares two texts once, however often it is requested', async () => {
    await using t = await harness()
    const [before, after] = [words(5_000, 3), words(5_000, 5)]
    const ask = () => compareTexts(t.inside.system(), before, after)
    const first = await Promise.all([ask(), ask(), ask()])
    // Without threads there is no other way than to remember.
    await t.inside.services.threads.close()
    expect([...first, await ask()]).toEqual(Array.from({ length: 4 }, () => first[0]))
  })
})
