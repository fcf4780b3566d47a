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
})
