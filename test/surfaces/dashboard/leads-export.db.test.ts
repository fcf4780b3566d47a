import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { fileAt, imported, importFile } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

describe('dashboard.leads.export_file', () => {
  it('escapes what a spreadsheet would take for a formula, and filters as the list does', async () => {
    const team = await app.team()
    for (const [firstName, company] of [
      ['Ann', '=1+1'],
      ['Bo', '"Q", Ltd'],
    ])
      await team.member.call('dashboard', 'POST /leads', {
        body: { firstName: firstName ?? '', lastName: '', company: company ?? '' },
      })
    const lines = (await fileAt(app, team, 'export')).split('\r\n')
    expect(lines[0]).toBe(
      '\ufeffid,firstName,lastName,email,phone,company,status,score,tags,source,assignedTo,createdOn',
    )
    expect(lines[1]).toContain(`,Ann,,,,'=1+1,new,,,manual,,`)
    expect(lines[2]).toContain(',Bo,,,,"""Q"", Ltd",new,')
    expect((await fileAt(app, team, 'export?search=bo')).split('\r\n')).toHaveLength(3)
  })

  it('is the identity with an import: into an empty tenant, and into its own', async () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 30 }).map(clean)
    const sign = fc.constantFrom('=', "'=", "''+", '-', '@', '"', ';', ',', '')
    const word = fc.tuple(sign, cell).map(([a, b]) => (a + b).trim())
    const lead = fc.record({
      firstName: word.map((text) => text || 'x'),
      lastName: word,
      company: word,
      phone: fc.constantFrom('', '+49 30 1234567', '(030) 55', '030/998877 ext 12'),
      tags: fc.uniqueArray(
        word.map((text) => text.replace(/[,;|]/g, '').trim()).filter((text) => text !== ''),
        { maxLength: 4 },
      ),
      score: fc.option(fc.integer({ min: 0, max: 100 })),
      status: fc.constantFrom('new', 'contacted', 'qualified', 'unqualified', 'converted'),
    })
    const leads = fc.sample(lead, { numRuns: 120, seed: 11 })
    const team = await app.team()
    const header = 'firstName,lastName,email,phone,company,status,score,tags'
    const quoted = (text: string) => `"${text.replace(/^('*[=+\-@])/, "'$1").replaceAll('"', '""')}"`
    const lines = leads.map(({ firstName, lastName, phone, company, status, score, tags }, n) =>
      [firstName, lastName, `l${n}@x.example`, phone, company, status, `${score ?? ''}`, tags.join(';')]
        .map(quoted)
        .join(','),
    )
    const state = await imported(app, team, (await importFile(team, [header, ...lines].join('\n'))).importId)
    expect(state).toMatchObject({ imported: 120, skipped: 0 })
    const first = await fileAt(app, team, 'export')
    const twin = await app.team()
    expect(await imported(app, twin, (await importFile(twin, first)).importId)).toMatchObject({
      imported: 120,
    })
    const data = (text: string) => text.split('\r\n').map((line) => line.split(',').slice(1, -3).join(','))
    expect(data(await fileAt(app, twin, 'export'))).toEqual(data(first))
    const before = await fingerprint(app.db)
    const again = await imported(
      app,
      team,
      (await importFile(team, first, { duplicates: 'update' })).importId,
    )
    expect(again).toMatchObject({ imported: 0, updated: 120, skipped: 0 })
    expect(await fileAt(app, team, 'export')).toBe(first)
    expect(changedTables(before, await fingerprint(app.db))).not.toContain('leads')
  })
})

/** As a field of a lead is stored. */
const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll('\u{feff}', '')
    .trim()
