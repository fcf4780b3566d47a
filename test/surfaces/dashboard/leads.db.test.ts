import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'
import { imported, importFile } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

type Body = Parameters<typeof add>[1]
const add = (
  { member }: Team,
  body: {
    firstName: string
    lastName: string
    email?: string
    phone?: string
    notes?: string
    tags?: string[]
  },
) => member.call('dashboard', 'POST /leads', { body })

const ann = {
  firstName: 'Ann',
  lastName: 'de la Cruz',
  email: 'Ann.Cruz@shop.example',
  phone: '+49 30 1234567',
}

const namesOf = async ({ member }: Team, query: { search?: string; 'filter.status'?: 'new' | 'qualified' }) =>
  (await member.call('dashboard', 'GET /leads', { query })).data.map(({ firstName }) => firstName)

describe('dashboard.leads.list', () => {
  it('finds leads by the beginnings of words of name and e-mail address, whatever their case and accents', async () => {
    const team = await app.team()
    await add(team, ann)
    await add(team, { firstName: 'Zoë', lastName: 'Ångström', email: 'zoe@other.example' })
    await add(team, { firstName: '王小明', lastName: '' })
    expect(await namesOf(team, { search: 'cruz' })).toEqual(['Ann'])
    expect(await namesOf(team, { search: 'la ANN' })).toEqual(['Ann'])
    expect(await namesOf(team, { search: 'ann.cruz@sho' })).toEqual(['Ann'])
    expect(await namesOf(team, { search: 'zoe angs' })).toEqual(['Zoë'])
    expect(await namesOf(team, { search: 'example' })).toEqual(['Zoë', 'Ann'])
    expect(await namesOf(team, { search: '王小' })).toEqual(['王小明'])
    expect(await namesOf(team, { search: 'ruz' })).toEqual([])
    expect(await namesOf(team, { search: '%"*' })).toEqual([])
    const other = await app.team()
    expect(await namesOf(other, { search: 'cruz' })).toEqual([])
  })

  it('filters by status and source, page by page', async () => {
    const team = await app.team()
    for (const name of ['A', 'B', 'C']) await add(team, { firstName: name, lastName: 'Same' })
    const read = (cursor?: string) =>
      team.member.call('dashboard', 'GET /leads', {
        query: {
          limit: 2,
          search: 'same',
          'filter.source': 'manual',
          ...(cursor !== undefined && { cursor }),
        },
      })
    const first = await read()
    expect(first.data.map(({ firstName }) => firstName)).toEqual(['C', 'B'])
    expect(first.pagination.hasMore).toBe(true)
    const second = await read(first.pagination.nextCursor ?? '')
    expect(second.data.map(({ firstName }) => firstName)).toEqual(['A'])
    expect(second.pagination).toMatchObject({ hasMore: false, nextCursor: null })
    expect(await namesOf(team, { 'filter.status': 'qualified' })).toEqual([])
  })
})

describe('dashboard.leads.create', () => {
  it('takes in a lead as it was given, with the notes as the first comment', async () => {
    const team = await app.team()
    const lead = await add(team, { ...ann, notes: 'Met at the fair', tags: ['fair', 'fair', 'vip'] })
    const { id, createdOn: _, ...given } = lead
    expect(given).toEqual({ ...ann, status: 'new', source: 'manual', tags: ['fair', 'vip'] })
    const { timeline } = await team.admin.call('dashboard', 'GET /leads/:leadId', { params: { leadId: id } })
    expect(timeline).toMatchObject([
      { kind: 'comment', text: 'Met at the fair', actor: { name: 'Mia Member' } },
      { kind: 'created', text: 'Created, source manual' },
    ])
  })

  it('rejects a lead that is there already with 409 and its id, and changes nothing', async () => {
    const team = await app.team()
    const { id } = await add(team, ann)
    const { id: byPhone } = await add(team, { firstName: 'Bo', lastName: 'Berg', phone: '030 7654321' })
    const before = await fingerprint(app.db)
    const doubles: Array<[Body, string]> = [
      [{ firstName: 'A', lastName: 'C', email: 'ann.cruz@SHOP.example' }, id],
      // Without an address, the number tells.
      [{ firstName: 'A', lastName: 'C', phone: '0049 (30) 1234-567' }, id],
      [{ firstName: 'B', lastName: 'B', phone: '030/7654321', email: 'bo@berg.example' }, byPhone],
    ]
    for (const [body, leadId] of doubles) {
      const refused = await add(team, body).catch((error: unknown) => error)
      expect(refused).toMatchObject({
        status: 409,
        code: 'CONFLICT',
        details: { reason: 'duplicate', leadId },
      })
    }
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    // Two addresses at one number are two people, and no tenant knows of the leads of another.
    await add(team, { ...ann, email: 'other@shop.example' })
    await add(await app.team(), ann)
  })

  it('takes one of eight equal leads that come at the same time', async () => {
    const team = await app.team()
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) =>
        add(team, {
          firstName: `${n}`,
          lastName: '',
          ...(n % 2 === 0 ? { email: 'one@x.example' } : {}),
          phone: '0301234567',
        }),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('rejects a lead without name, address and number, and values that are none', async () => {
    const team = await app.team()
    const empty = { firstName: ' ', lastName: '' }
    const wrong: Array<[Body, string]> = [
      [empty, 'firstName'],
      [{ ...ann, firstName: 'A\nB' }, 'firstName'],
      [{ ...ann, email: 'ann' }, 'email'],
      [{ ...ann, phone: 'call me' }, 'phone'],
      [{ ...ann, tags: ['a,b'] }, 'tags.0'],
    ]
    for (const [body, field] of wrong)
      expect(await refusal(add(team, body))).toEqual({ status: 400, code: 'VALIDATION_ERROR', field })
  })
})

const changed = (team: Team, leadId: string, body: object) =>
  team.member.call('dashboard', 'PATCH /leads/:leadId', { params: { leadId }, body })

describe('dashboard.leads.change', () => {
  it('takes any status, score, tags and assignment, and tells each in the timeline', async () => {
    const team = await app.team()
    const { id } = await add(team, ann)
    const lead = await changed(team, id, {
      status: 'converted',
      score: 80,
      tags: ['vip'],
      assignedTo: team.adminId,
      company: 'Shop',
    })
    expect(lead).toMatchObject({
      status: 'converted',
      score: 80,
      tags: ['vip'],
      assignedTo: { id: team.adminId, name: 'Ada Admin' },
    })
    await changed(team, id, { status: 'new', score: null, assignedTo: null, company: '' })
    const detail = await team.member.call('dashboard', 'GET /leads/:leadId', { params: { leadId: id } })
    expect(detail).not.toHaveProperty('assignedTo')
    expect(detail).not.toHaveProperty('company')
    expect(detail.timeline.map(({ text }) => text).toReversed()).toEqual([
      'Created, source manual',
      'Status from new to converted',
      'Score from none to 80',
      'Tags: added vip',
      'Assigned to Ada Admin',
      'Changed company from none to Shop',
      'Status from converted to new',
      'Score from 80 to none',
      'Assigned to no one',
      'Changed company from Shop to none',
    ])
    const audit = await app.db.sql.all(
      `select id from audit_records where resource_id = ? and action = 'lead.change'`,
      [id],
    )
    expect(audit).toHaveLength(2)
  })

  it('finds a lead by its new name, and by the old one no more', async () => {
    const team = await app.team()
    const { id } = await add(team, ann)
    await changed(team, id, { lastName: 'Quist', email: null })
    expect(await namesOf(team, { search: 'quist' })).toEqual(['Ann'])
    expect(await namesOf(team, { search: 'shop' })).toEqual([])
    await add(team, { firstName: 'New', lastName: 'Ann', email: ann.email })
  })

  it('finds a lead with its new status, and with the old one no more', async () => {
    const team = await app.team()
    const { id } = await add(team, ann)
    // Among the newest leads no index is asked.
    const others = Array.from({ length: 300 }, (_, n) => `A${n},new\nB${n},qualified`)
    const { importId } = await importFile(team, `firstName,status\n${others.join('\n')}`)
    await imported(app, team, importId)
    // What changes nothing that is searched leaves it to be found.
    await changed(team, id, { score: 5 })
    expect(await namesOf(team, { search: 'cruz', 'filter.status': 'new' })).toEqual(['Ann'])
    await changed(team, id, { status: 'qualified' })
    expect(await namesOf(team, { search: 'cruz', 'filter.status': 'qualified' })).toEqual(['Ann'])
    expect(await namesOf(team, { search: 'cruz', 'filter.status': 'new' })).toEqual([])
  })

  it('rejects what another lead has, people who are not of the tenant, and a lead with nothing left', async () => {
    const team = await app.team()
    const other = await app.team()
    const { id } = await add(team, ann)
    const bo = await add(team, { firstName: 'Bo', lastName: '' })
    const before = await fingerprint(app.db)
    expect(await refusal(changed(team, bo.id, { email: ann.email }))).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    const wrong: Array<[object, string]> = [
      [{ score: 101 }, 'score'],
      [{ firstName: '' }, 'firstName'],
    ]
    for (const [body, field] of wrong)
      expect(await refusal(changed(team, bo.id, body))).toMatchObject({ status: 400, field })
    const foreign = await refusal(changed(team, bo.id, { assignedTo: other.adminId }))
    expect(foreign).toEqual({ status: 404, code: 'NOT_FOUND', field: 'assignedTo' })
    expect(await refusal(changed(other, id, { score: 1 }))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
  })
})

describe('dashboard.leads.get', () => {
  it('does not find the lead of another tenant', async () => {
    const { id } = await add(await app.team(), ann)
    const { member } = await app.team()
    const read = member.call('dashboard', 'GET /leads/:leadId', { params: { leadId: id } })
    expect(await refusal(read)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
