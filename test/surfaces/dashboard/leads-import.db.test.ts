import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp } from '../../../packages/core/src/composition/housekeeping.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'
import { refusal } from '../refusal.ts'
import { fileAt, imported, importFile, stateOf } from './lead-files.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

const leadsOf = async ({ member }: Team) =>
  (await member.call('dashboard', 'GET /leads', { query: { order: 'asc', limit: 100 } })).data

describe('dashboard.leads.start_import', () => {
  it('makes leads of the lines, and says of each other line where and why', async () => {
    const team = await app.team()
    const file = [
      'First Name;LAST_NAME;E-Mail;Phone;company;Lead Score;Tags;Colour',
      'Ann;Cruz;ann@shop.example;+49 30 1234567;"Shop',
      'and more";80;vip, fair;red',
      '',
      'Bo;Berg;not an address;;;;;',
      'Cy;Dahl;ANN@shop.example;;;;;',
      ';;;;;;;',
      "Di;Ek;;030 55 44 33;=cmd|'/c calc'!A1;;;",
      'El;Fors;;;;101;;',
      'Fi;Gren;;;;;;;too much',
    ].join('\r\n')
    const receipt = await importFile(team, file, { source: 'Fair 2026' })
    expect(receipt).toMatchObject({ total: 6, status: 'processing' })
    const state = await imported(app, team, receipt.importId)
    expect(state).toMatchObject({
      status: 'completed',
      total: 6,
      imported: 2,
      updated: 0,
      skipped: 4,
      errorsComplete: true,
      source: 'Fair 2026',
      errors: [
        { row: 5, reason: 'email: Invalid email address' },
        { row: 6, reason: 'There is a lead with this id, e-mail address or phone number already' },
        { row: 9, reason: expect.stringMatching(/^score: /) },
        { row: 10, reason: 'The line has 9 values, the header 8' },
      ],
    })
    const [ann, di] = await leadsOf(team)
    expect(ann).toMatchObject({
      firstName: 'Ann',
      company: 'Shop and more',
      source: 'import',
      sourceRef: 'Fair 2026',
      score: 80,
      tags: ['vip', 'fair'],
      status: 'new',
    })
    expect(di).toMatchObject({ lastName: 'Ek', company: "=cmd|'/c calc'!A1" })
    const params = { leadId: ann?.id ?? '' }
    const { timeline } = await team.member.call('dashboard', 'GET /leads/:leadId', { params })
    expect(timeline).toMatchObject([
      { kind: 'created', text: 'Imported from Fair 2026', actor: { name: 'Mia Member' } },
    ])
  })

  it('takes files whose names, and those of whose columns, are cut within a character', async () => {
    const team = await app.team()
    const file = `email,${'x'.repeat(199)}😀\nann@site.example,1`
    for (const name of [`${'a'.repeat(99)}😀.csv`, `${'😀'.repeat(128)}.csv`]) {
      const { importId } = await importFile(team, file, { duplicates: 'update' }, name)
      const state = await imported(app, team, importId)
      expect(state.status).toBe('completed')
      expect([state.source, state.fileName].every((text) => text.isWellFormed())).toBe(true)
    }
  })

  it('puts values that are not empty into leads that are there, when it is told to', async () => {
    const team = await app.team()
    await imported(
      app,
      team,
      (await importFile(team, 'name,email,company\nAnn Cruz,ann@x.example,Shop')).importId,
    )
    const file =
      'email,firstName,company,tags\nann@x.example,,Bakery,vip\nann@X.example,Anna,,\nbo@x.example,Bo,,'
    const { importId } = await importFile(team, file, { duplicates: 'update' })
    expect(await imported(app, team, importId)).toMatchObject({ imported: 1, updated: 2, skipped: 0 })
    expect(await leadsOf(team)).toMatchObject([
      { firstName: 'Anna', lastName: 'Cruz', company: 'Bakery', tags: ['vip'] },
      { firstName: 'Bo' },
    ])
  })

  it('rejects a file that cannot be imported at all with the line and the reason, and stores nothing', async () => {
    const team = await app.team()
    const before = await fingerprint(app.db)
    const files: Array<[string | Uint8Array, RegExp]> = [
      ['', /^Line 1: The file is empty/],
      ['colour,size\nred,1', /^Line 1: The header names no column/],
      ['name,email\nAnn,a@x.example\n"Bo,b@x.example\nCy,c@x.example', /^Line 3: A quotation mark/],
      [new Uint8Array([0, 1, 2, 3, 255]), /^Line 1: /],
    ]
    for (const [file, message] of files) {
      const refused = await importFile(team, file).catch((error: unknown) => error)
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field: 'file' })
      expect((refused as Error).message).toMatch(message)
    }
    const large = importFile(team, `name\n${'x'.repeat(10 * 1024 * 1024)}`)
    expect(await refusal(large)).toMatchObject({ status: 413, field: 'file' })
    expect(changedTables(before, await fingerprint(app.db))).not.toContain('lead_imports')
  })
})

describe('dashboard.leads.preview', () => {
  it('shows columns, leads and faults, and stores nothing', async () => {
    const team = await app.team()
    const before = await fingerprint(app.db)
    const body = new FormData()
    body.append(
      'file',
      new Blob(['name\tE-Mail\tColour\nAnn Cruz\ta@x.example\tred\nBo\tb\tblue']),
      'leads.csv',
    )
    expect(await team.member.call('dashboard', 'POST /leads/import/preview', { body })).toEqual({
      total: 2,
      invalid: 1,
      delimiter: '\t',
      columns: [
        { header: 'name', field: 'name' },
        { header: 'E-Mail', field: 'email' },
        { header: 'Colour', field: null },
      ],
      rows: [{ row: 2, lead: { firstName: 'Ann', lastName: 'Cruz', email: 'a@x.example' } }],
      errors: [{ row: 3, reason: 'email: Invalid email address' }],
    })
    expect(changedTables(before, await fingerprint(app.db))).toEqual(['audit_records'])
  })
})

describe('dashboard.leads.import_state', () => {
  it('does not find the import of another tenant', async () => {
    const { importId } = await importFile(await app.team(), 'name\nAnn')
    expect(await refusal(stateOf(await app.team(), importId))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    })
  })
})

describe('dashboard.leads.errors', () => {
  it('gives the lines as they stood in the file, which can be imported once they are corrected', async () => {
    const team = await app.team()
    const { importId } = await importFile(
      team,
      'name,email,Colour\nAnn,ann,red\nBo,b@x.example,\n"C, ""y""",cy,=1+1',
    )
    await imported(app, team, importId)
    const text = await fileAt(app, team, `imports/${importId}/errors`)
    expect(text).toBe(
      '\ufeffname,email,Colour,row,reason\r\nAnn,ann,red,2,email: Invalid email address\r\n' +
        `"C, ""y""",cy,'=1+1,4,email: Invalid email address\r\n`,
    )
    const corrected = text.replace('ann,red', 'a@x.example,red').replace(',cy,', ',c@x.example,')
    const again = await importFile(team, corrected)
    expect(await imported(app, team, again.importId)).toMatchObject({ imported: 2, skipped: 0 })
  })
})

describe('housekeeping', () => {
  it('deletes the lines that became no leads after 90 days, and not before', async () => {
    const team = await app.team()
    const { importId } = await importFile(
      team,
      'name,email\nAnn,not an address\nBo,nor this\nCy,cy@shop.example',
    )
    expect(await imported(app, team, importId)).toMatchObject({ imported: 1, skipped: 2 })
    await using instance = await parts(app)
    const after = (days: number) =>
      cleanUp({ ...instance.system(), clock: createTestClock(Date.now() + days * 86_400_000) })
    await after(89)
    expect((await stateOf(team, importId)).errors).toHaveLength(2)
    await after(91)
    expect(await stateOf(team, importId)).toMatchObject({ imported: 1, skipped: 2, errors: [] })
    expect(await leadsOf(team)).toHaveLength(1)
  })
})

describe('dashboard.leads.undo_import', () => {
  it('removes what the import has made, and leaves what was changed since or was there before', async () => {
    const team = await app.team()
    await imported(app, team, (await importFile(team, 'name,email\nOld,old@x.example')).importId)
    const file = 'name,email,notes\nAnn,a@x.example,Hello\nBo,b@x.example,\nOldest,old@x.example,'
    const { importId } = await importFile(team, file, { duplicates: 'update' })
    await imported(app, team, importId)
    const bo = (await leadsOf(team)).find(({ firstName }) => firstName === 'Bo')
    await team.member.call('dashboard', 'PATCH /leads/:leadId', {
      params: { leadId: bo?.id ?? '' },
      body: { score: 5 },
    })
    const undo = () =>
      team.member.call('dashboard', 'POST /leads/imports/:importId/undo', { params: { importId } })
    await undo()
    const state = await app.until(async () => {
      const found = await stateOf(team, importId)
      return found.undo?.status === 'completed' && found
    }, 'the import is undone')
    expect(state.undo).toEqual({ status: 'completed', removed: 1, kept: 2 })
    expect((await leadsOf(team)).map(({ firstName }) => firstName)).toEqual(['Oldest', 'Bo'])
    expect(await app.db.sql.all(`select id from lead_events where text = 'Hello'`)).toEqual([])
    expect(await refusal(undo())).toMatchObject({ status: 409, code: 'CONFLICT' })
    const { data } = await team.member.call('dashboard', 'GET /leads', { query: { search: 'ann' } })
    expect(data).toEqual([])
  })
})
