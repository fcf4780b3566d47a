import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { imported, importFile } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

/** A file of leads that all have an address, some of them replaced by other lines. */
function fileOf(count: number, others: Readonly<Record<number, string>> = {}, company = 'Shop'): string {
  const lines = Array.from(
    { length: count },
    (_, n) => others[n] ?? `First${n},Last,l${n}@x.example,,${company}`,
  )
  return ['firstName,lastName,email,phone,company', ...lines].join('\n')
}

const there = 'There is a lead with this id, e-mail address or phone number already'

describe('dashboard.leads.start_import of files that are written in several parts', () => {
  it('finds the lines that double another one, however far away it is, and keeps all others', async () => {
    const team = await app.team()
    const body = { firstName: 'Old', lastName: '', phone: '+49 30 7654321', source: 'manual' as const }
    await team.member.call('dashboard', 'POST /leads', { body })
    const { importId } = await importFile(
      team,
      fileOf(1_000, {
        20: 'Ann,Cruz,ann@x.example,+49 30 1234567,Shop',
        // Two addresses at one phone are two people.
        21: 'Bo,Berg,bo@x.example,+49 30 1234567,Shop',
        600: 'Again,Last,L10@X.example,,Shop',
        700: 'Old,Lead,old@x.example,0049307654321,Shop',
        900: 'Ann,,,+49 (0)30 1234567,Shop',
      }),
    )
    expect(await imported(app, team, importId)).toMatchObject({
      status: 'completed',
      total: 1_000,
      imported: 997,
      updated: 0,
      skipped: 3,
      errors: [
        { row: 602, reason: there },
        { row: 702, reason: there },
        { row: 902, reason: there },
      ],
    })
    const rows = await app.db.sql.all<{ first_name: string }>(
      'select first_name from leads where tenant_id = ? order by seq',
      [team.tenantId],
    )
    const names = rows.map((row) => row.first_name)
    expect(names).toHaveLength(998)
    expect([names[0], names[1], names[21], names[22], names[997]]).toEqual([
      'Old',
      'First0',
      'Ann',
      'Bo',
      'First999',
    ])
  })

  it('changes all leads of a file that was imported before, when it is told to', async () => {
    const team = await app.team()
    const first = await importFile(team, fileOf(1_200))
    expect(await imported(app, team, first.importId)).toMatchObject({ imported: 1_200, skipped: 0 })
    const file = fileOf(1_300, {}, 'Bakery')
    const { importId } = await importFile(team, file, { duplicates: 'update' })
    expect(await imported(app, team, importId)).toMatchObject({
      imported: 100,
      updated: 1_200,
      skipped: 0,
    })
    const found = await app.db.sql.all<{ company: string }>(
      `select distinct company from leads where tenant_id = ?`,
      [team.tenantId],
    )
    expect(found).toEqual([{ company: 'Bakery' }])
    const { data } = await team.member.call('dashboard', 'GET /leads', { query: { search: 'first777' } })
    expect(data).toMatchObject([{ email: 'l777@x.example' }])
  })

  it('keeps every value as it stands in the file', async () => {
    const team = await app.team()
    // No character of it is one UTF-16 unit, and each word is cut after so many units for the search.
    const rare = `a${'𠀀'.repeat(39)}😀`
    const name = `"${rare} \\ ' "" \u2028é"`
    const { importId } = await importFile(
      team,
      `name,email,score,tags,status,company\n${name},a@x.example,100,"b,a,b",qualified,"12"\nBo,,0,,,"null"`,
    )
    expect(await imported(app, team, importId)).toMatchObject({ imported: 2, skipped: 0 })
    const { data } = await team.member.call('dashboard', 'GET /leads', { query: { order: 'asc' } })
    expect(data).toMatchObject([
      {
        firstName: rare,
        lastName: `\\ ' " é`,
        score: 100,
        tags: ['b', 'a'],
        status: 'qualified',
        company: '12',
      },
      { firstName: 'Bo', score: 0, tags: [], status: 'new', company: 'null' },
    ])
  })

  it('reads a large file as its spreadsheet program has written it', async () => {
    const team = await app.team()
    const lines = Array.from({ length: 6_000 }, (_, n) => `Zoë ${n};"Grün\r\n& Söhne";z${n}@x.example`)
    const text = ['firstName;company;email', ...lines].join('\r\n')
    const { importId, total } = await importFile(team, Buffer.from(`\ufeff${text}`, 'utf16le'))
    expect(total).toBe(6_000)
    expect(await imported(app, team, importId)).toMatchObject({ imported: 6_000, skipped: 0 })
    const rows = await app.db.sql.all(
      'select first_name, company, email from leads where tenant_id = ? order by seq',
      [team.tenantId],
    )
    expect(rows).toEqual(
      lines.map((_, n) => ({
        first_name: `Zoë ${n}`,
        company: 'Grün & Söhne',
        email: `z${n}@x.example`,
      })),
    )
  })

  it('ends an import whose file is lost meanwhile, says so, and keeps what was read', async () => {
    const team = await app.team()
    const { tenantId } = team
    const { importId } = await importFile(team, fileOf(60_000))
    await rm(join(app.options.dataDir, 'blobs', 'tenants', tenantId, 'lead-imports', importId))
    const { status, reason, imported: kept } = await imported(app, team, importId)
    expect({ status, reason }).toEqual({
      status: 'failed',
      reason: 'The file is gone from the store. Upload it again.',
    })
    const rows = await app.db.sql.all('select id from leads where tenant_id = ?', [tenantId])
    expect(rows).toHaveLength(kept)
    expect(kept).toBeLessThan(60_000)
  })
})
