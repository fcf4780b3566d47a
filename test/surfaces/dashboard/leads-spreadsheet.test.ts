import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { convertArguments, sheet } from '../../../config/libreoffice.ts'
import { temporaryFolder } from '../../cli/process.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { fileAt, imported, importFile } from './lead-files.ts'

/** Files that a real spreadsheet program writes, and reads. */
const program = process.env['COPYDESK_TEST_LIBREOFFICE']

let app: TestApp
const folder = temporaryFolder()

beforeAll(async () => {
  if (program) app = await createTestApp()
})

afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Converts a file beside itself. @param to a format, with the options of its filter */
function convert(file: string, to: string, infilter?: string): string {
  const args = convertArguments(join(folder.path, file), to, folder.path, infilter)
  execFileSync(program ?? '', args, { stdio: 'pipe' })
  return join(folder.path, file.replace(/\.\w+$/, `.${to.split(':')[0]}`))
}

const people = [
  ['firstName', 'lastName', 'email', 'phone', 'company', 'tags'],
  ['Zoë', 'Müller', 'zoe@shop.example', '0049 30 1234567', 'Shop, "the" best; of all', 'vip,fair'],
  ['Ann', "O'Neill", 'ann@shop.example', '+1 555 0100', 'Two\nlines', ''],
  ['=1+1', 'Øst', 'east@shop.example', '', '-5', ''],
]

describe.runIf(program)('files of LibreOffice', () => {
  const leads = people.slice(1).map(([firstName, lastName, email, phone, company, tags]) => ({
    firstName,
    lastName,
    email,
    company,
    ...(phone && { phone: expect.any(String) }),
    tags: tags ? tags.split(',') : [],
  }))

  // Delimiter, quotation mark and encoding of its filter for CSV, by the numbers that it has for them.
  it.each([
    ['commas and UTF-8', '44,34,76'],
    ['semicolons and Windows-1252', '59,34,1'],
    ['tabs and UTF-16', '9,34,65535'],
    ['bars, all texts quoted', '124,34,76,1,,0,true'],
  ])('with %s become the leads that were typed', async (_, options) => {
    writeFileSync(join(folder.path, 'leads.fods'), sheet(people))
    const file = readFileSync(convert('leads.fods', `csv:Text - txt - csv (StarCalc):${options}`))
    const team = await app.team()
    const { importId } = await importFile(team, file)
    expect(await imported(app, team, importId)).toMatchObject({ imported: 3, skipped: 0, errors: [] })
    const { data } = await team.member.call('dashboard', 'GET /leads', { query: { order: 'asc' } })
    expect(data.map((lead) => ({ ...lead, company: lead.company?.replace(/\s/, ' ') }))).toMatchObject(
      leads.map((lead) => ({ ...lead, company: lead.company?.replace(/\s/, ' ') })),
    )
  })

  it('that hold an export, saved by it, make the same leads elsewhere', async () => {
    writeFileSync(join(folder.path, 'leads.fods'), sheet(people))
    const typed = readFileSync(convert('leads.fods', 'csv:Text - txt - csv (StarCalc):44,34,76'))
    const [from, to] = [await app.team(), await app.team()]
    await imported(app, from, (await importFile(from, typed)).importId)
    const exported = await fileAt(app, from, 'export')
    writeFileSync(join(folder.path, 'export.csv'), exported)
    // Opened as text, as a person has to choose it, since it takes numbers for numbers otherwise.
    convert(
      'export.csv',
      'xlsx',
      'CSV:44,34,76,1,1/2/2/2/3/2/4/2/5/2/6/2/7/2/8/2/9/2/10/2/11/2/12/2/13/2/14/2/15/2',
    )
    const saved = readFileSync(convert('export.xlsx', 'csv:Text - txt - csv (StarCalc):59,34,76'))
    const withoutIds = saved.toString().replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, '')
    const { importId } = await importFile(to, withoutIds)
    expect(await imported(app, to, importId)).toMatchObject({ imported: 3, skipped: 0, errors: [] })
    const names = async ({ member }: typeof from) =>
      (await member.call('dashboard', 'GET /leads', { query: { order: 'asc' } })).data.map(
        ({ firstName, lastName, email, phone, company, tags }) => [
          firstName,
          lastName,
          email,
          phone,
          company,
          tags,
        ],
      )
    expect(await names(to)).toEqual(await names(from))
  })

  it('of its own kind are rejected with what to do', async () => {
    writeFileSync(join(folder.path, 'leads.fods'), sheet(people))
    const team = await app.team()
    for (const format of ['xlsx', 'xls', 'ods'])
      await expect(importFile(team, readFileSync(convert('leads.fods', format)))).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('save the sheet as CSV'),
      })
  })
})
