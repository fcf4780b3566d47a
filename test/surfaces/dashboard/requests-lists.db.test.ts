import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
})

afterAll(() => app[Symbol.asyncDispose]())

const topics = ({ data }: { data: ReadonlyArray<{ topic: string }> }) => data.map(({ topic }) => topic)

describe('dashboard.blog_requests.list', () => {
  it('lists the requests of the tenant in both orders, by state and page', async () => {
    const theirs = await app.team()
    const ask = ({ admin }: Team, topic: string, client = admin) =>
      client.call('dashboard', 'POST /blog-requests', { body: { topic, targetKeyword: 'oats' } })
    const first = await ask(team, 'One')
    await ask(team, 'Two', team.member)
    await ask(team, 'Three')
    await ask(theirs, 'Theirs')
    const list = (query: object = {}) => team.member.call('dashboard', 'GET /blog-requests', { query })
    expect(topics(await list())).toEqual(['Three', 'Two', 'One'])
    expect((await list({ order: 'asc' })).data[0]).toEqual(first)
    expect(first).toMatchObject({ targetKeyword: 'oats', status: 'approved', createdBy: 'Ada Admin' })
    expect(topics(await list({ 'filter.status': 'draft' }))).toEqual(['Two'])
    const page = await list({ limit: 2 })
    expect(topics(await list({ limit: 2, cursor: page.pagination.nextCursor }))).toEqual(['One'])
    const unknown = { status: 400, field: 'filter.status' }
    expect(await refusal(list({ 'filter.status': 'lost' }))).toMatchObject(unknown)
  })
})

describe('dashboard.social_requests.list', () => {
  it('lists the requests of the tenant, newest first, by state, network and page', async () => {
    const theirs = await app.team()
    const ask = (topic: string, platforms: string[], { admin }: Pick<Team, 'admin'> = team) =>
      admin.call('dashboard', 'POST /social-requests', { body: { topic, platforms } as never })
    await ask('One', ['photo_network'])
    await ask('Two', ['professional_network'], { admin: team.member })
    const third = await ask('Three', ['photo_network', 'professional_network'])
    await ask('Theirs', ['photo_network'], theirs)
    const list = (query: object = {}) => team.member.call('dashboard', 'GET /social-requests', { query })
    const all = await list()
    expect(topics(all)).toEqual(['Three', 'Two', 'One'])
    expect(all.data[0]).toEqual(third)
    expect(topics(await list({ 'filter.platform': 'photo_network' }))).toEqual(['Three', 'One'])
    expect(topics(await list({ 'filter.status': 'draft' }))).toEqual(['Two'])
    const page = await list({ limit: 2 })
    expect(topics(await list({ limit: 2, cursor: page.pagination.nextCursor }))).toEqual(['One'])
    const unknown = { status: 400, field: 'filter.platform' }
    expect(await refusal(list({ 'filter.platform': 'moon' }))).toMatchObject(unknown)
  })
})
