import type { CallInput } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminOf, createTestApp, type TestApp } from '../../kit/app.ts'
import { imported, importFile } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

describe('dashboard.leads.list', () => {
  it('finds by any filters, words and order what a look at each lead finds, page by page', async () => {
    const team = await app.team()
    const names = ['Ann', 'Anna', 'Bo', 'Cyd']
    const statuses = ['new', 'contacted', 'converted'] as const
    const lines = Array.from(
      { length: 60 },
      (_, n) => `${names[n % 4]} ${names[(n >> 2) % 4]},l${n}@${n % 3}.example,${statuses[n % 3]}`,
    )
    const { importId } = await importFile(team, ['name,email,status', ...lines].join('\n'))
    await imported(app, team, importId)
    const body = { firstName: 'Ann', lastName: 'Ad', source: 'search_ads' as const }
    const { id } = await team.member.call('dashboard', 'POST /leads', { body })
    const change = { firstName: 'Bo', status: 'converted' as const }
    await team.member.call('dashboard', 'PATCH /leads/:leadId', { params: { leadId: id }, body: change })
    const { data: all } = await team.member.call('dashboard', 'GET /leads', {
      query: { order: 'asc', limit: 100 },
    })
    expect(all).toHaveLength(61)
    const list = async (query: CallInput<'dashboard', 'GET /leads'>['query']) => {
      const { data, pagination } = await app.copydesk
        .as(adminOf(team))
        .call('dashboard.leads.list', { query: { ...query, limit: 20 } })
      return { ids: data.map((lead) => lead.id), cursor: pagination.nextCursor }
    }
    const agree = async (search: string | undefined) => {
      for (const order of ['asc', 'desc'] as const)
        for (const status of [undefined, 'new', 'converted'] as const)
          for (const source of [undefined, 'import', 'search_ads', 'form'] as const) {
            const wanted = all.filter((lead) => {
              const words = `${lead.firstName} ${lead.lastName} ${lead.email}`
                .toLowerCase()
                .split(/[^a-z0-9]/)
              return (
                (status === undefined || lead.status === status) &&
                (source === undefined || lead.source === source) &&
                (search ?? '').split(' ').every((word) => words.some((other) => other.startsWith(word)))
              )
            })
            const query = {
              order,
              ...(status && { 'filter.status': status }),
              ...(source && { 'filter.source': source }),
              ...(search && { search }),
            }
            const found: string[] = []
            for (let cursor: string | null | undefined; cursor !== null; ) {
              const page = await list({ ...query, ...(cursor && { cursor }) })
              found.push(...page.ids)
              cursor = page.cursor
            }
            const ids = wanted.map((lead) => lead.id)
            expect(found, JSON.stringify(query)).toEqual(order === 'asc' ? ids : ids.toReversed())
          }
    }
    await agree(undefined)
    // More than are looked at one by one.
    const others = Array.from({ length: 2_050 }, (_, n) => `Other Person,o${n}@x.test,new`)
    const second = await importFile(team, ['name,email,status', ...others].join('\n'))
    await imported(app, team, second.importId)
    for (const search of ['ann', 'an b', 'bo ad', 'l1 example', 'zzz']) await agree(search)
  })

  it('finds leads however far apart their numbers are, and none of another tenant', async () => {
    await using own = await createTestApp()
    const [team, other] = [await own.team(), await own.team()]
    // On PostgreSQL the index of words is asked about blocks of 16,384 numbers, after 64 of them about several at once.
    const [oldest, newest] = [
      [1, 2, 16_383, 16_384, 40_000, 49_151],
      [9_990_000, 10_000_001, 2_147_483_640],
    ]
    const between = Array.from({ length: 300 }, (_, n) => 60_001 + n * 20_001)
    const idOf = (seq: number) => `01JRG${String(seq).padStart(21, '0')}`
    const add = (tenantId: string, firstName: string, numbers: readonly number[]) =>
      own.db.write(async (tx) => {
        for (const seq of numbers) {
          const address = `l${seq}@site.example`
          const status = seq % 2 === 0 ? 'new' : 'converted'
          const words = ` ${firstName.toLowerCase()} far l${seq} site example`
          await tx.run(
            `insert into leads (seq, id, tenant_id, first_name, last_name, email, status, source, tags, identity, words, revision, created_on, updated_on)
             values (?, ?, ?, ?, 'Far', ?, ?, 'manual', '[]', ?, ?, 0, ?, ?)`,
            [
              seq,
              idOf(seq),
              tenantId,
              firstName,
              address,
              status,
              `e:${address}`,
              words,
              new Date(),
              new Date(),
            ],
          )
        }
      })
    const found = async (query: CallInput<'dashboard', 'GET /leads'>['query']) => {
      const ids: string[] = []
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await own.copydesk
          .as(adminOf(team))
          .call('dashboard.leads.list', { query: { ...query, ...(cursor && { cursor }) } })
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.pagination.nextCursor
      }
      return ids
    }
    expect(await found({ search: 'ann' })).toEqual([])
    // Leads of another tenant are before, between and after them.
    await add(other.tenantId, 'Ann', [3, 20_000, 7_000_000, 2_147_483_641])
    // One whose id ends in the same way.
    const alike = other.tenantId.slice(0, -8) + team.tenantId.slice(-8)
    await add(alike, 'Ann', [4, 16_385, 40_001])
    await add(alike, 'Bo', [60_002, 80_003, 7_000_002])
    await add(team.tenantId, 'Ann', oldest)
    await add(team.tenantId, 'Bo', between)
    await add(team.tenantId, 'Cyd', newest)
    const all = [...oldest, ...between, ...newest]
    const named = { an: oldest, 'far cyd': newest, 'bo site': between, far: all, 'l16384 ann': [16_384] }
    for (const [search, numbers] of Object.entries(named)) {
      const limit = numbers.length > 10 ? 100 : 2
      expect(await found({ search, limit, order: 'asc' }), search).toEqual(numbers.map(idOf))
      expect(await found({ search, limit }), search).toEqual(numbers.map(idOf).toReversed())
      const converted = numbers.filter((seq) => seq % 2 === 1).map(idOf)
      const filter = { 'filter.status': 'converted', 'filter.source': 'manual' } as const
      expect(await found({ search, limit, order: 'asc', ...filter }), search).toEqual(converted)
    }
    expect(await found({ search: 'nobody' })).toEqual([])
    expect(await found({ search: 'far nobody' })).toEqual([])
  })
})
