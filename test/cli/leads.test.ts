import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loggedIn } from './kb-staff.ts'
import { onScreen } from './screen.ts'
import { createStaff, type Staff } from './staff.ts'

let staff: Staff
let login: { env: Record<string, string> }

beforeAll(async () => {
  staff = await createStaff()
  login = await loggedIn(staff, 'admin.1')
})

afterAll(() => staff[Symbol.asyncDispose]())

const write = (name: string, text: string) => writeFileSync(join(staff.home, name), text)
const read = (name: string) => readFileSync(join(staff.home, name), 'utf8')
const run = (...args: string[]) => staff.run(['lead', ...args], login)
const json = <T>(...args: string[]) => staff.json<T>(['lead', ...args], login)
interface Imported {
  importId: string
  imported: number
  updated: number
  skipped: number
}
const emailsOf = async (...args: string[]) =>
  (await json<{ data: Array<{ email?: string }> }>('list', ...args)).data.map(({ email }) => email)

describe('copydesk lead import, export and undo', () => {
  it('imports a file after a preview, writes its faults, and takes it back', async () => {
    write(
      'fair.csv',
      'Name;E-mail;Colour\nAnn Cruz;ann@fair.example;red\nBo;none;blue\nCy Dee;cy@fair.example;\n',
    )
    const tried = await run('import', 'fair.csv', '--dry-run')
    expect(tried).toMatchObject({ code: 0, stderr: '' })
    expect(tried.stdout).toContain('3 lines, 1 of them with a fault')
    expect(tried.stdout).toContain('Name → name, E-mail → email')
    expect(tried.stdout).toContain('left out Colour')
    expect(tried.stdout).toMatch(/line 3 {2}email: Invalid/)
    expect(await emailsOf('--search', 'fair')).toEqual([])
    expect(await run('import', 'fair.csv')).toMatchObject({ code: 2, stdout: '' })

    const { code, stdout, stderr } = await run(
      'import',
      'fair.csv',
      '--yes',
      '--source',
      'Fair',
      '--errors',
      'wrong.csv',
    )
    expect(code).toBe(0)
    expect(stderr).toContain('3 lines, 1 of them with a fault')
    expect(stdout).toMatch(/✔ 2 leads imported, 0 updated, 1 skipped {2}[0-9A-Z]{26}\n/)
    expect(read('wrong.csv')).toContain('Bo,none,blue,3,')
    expect(await emailsOf('--search', 'fair')).toEqual(['cy@fair.example', 'ann@fair.example'])

    write('again.csv', 'email,company\nann@fair.example,Shop\nnew@fair.example,New\n')
    const again = await json<Imported>('import', 'again.csv', '--yes', '--duplicates', 'update')
    expect(again).toMatchObject({ imported: 1, updated: 1, skipped: 0 })
    const undone = await run('undo', again.importId, '--yes')
    expect(undone).toMatchObject({ code: 0, stdout: '✔ 1 lead removed, 1 kept\n' })
    expect(await run('undo', again.importId, '--yes')).toMatchObject({ code: 1 })
    expect(await emailsOf('--search', 'fair')).toEqual(['cy@fair.example', 'ann@fair.example'])
  })

  it('exports what the filters select, to a file or to stdout', async () => {
    write('export.csv', 'email,status\nx1@export.example,qualified\nx2@export.example,new\n')
    await run('import', 'export.csv', '--yes')
    const filters = ['--search', 'export', '--status', 'qualified']
    const piped = await run('export', ...filters)
    expect(piped).toMatchObject({ code: 0, stderr: '' })
    expect(piped.stdout.split('\r\n')).toEqual([
      expect.stringContaining('firstName'),
      expect.stringContaining('x1@export.example'),
      '',
    ])
    const { code, stdout, stderr } = await run('export', ...filters, '--out', 'out.csv')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '✔ The leads are in out.csv.\n' })
    expect(read('out.csv').replace('\ufeff', '')).toBe(piped.stdout.replace('\ufeff', ''))
  })

  it('lists leads, and shows one with its timeline', async () => {
    write('show.csv', 'name,email,notes\nSue Show,sue@show.example,"Two\nlines"\n')
    await run('import', 'show.csv', '--yes', '--source', 'Stand')
    const listed = await run('list', '--search', 'show')
    expect(listed.stdout).toMatch(
      /^id\tname\te-mail\tphone\tcompany\tstatus\tsource\n[0-9A-Z]{26}\tSue Show\tsue@show\.example\t/,
    )
    const { data } = await json<{ data: Array<{ id: string }> }>('list', '--search', 'show')
    const shown = await run('show', data[0]?.id ?? '')
    expect(shown.stdout).toContain('new  import: Stand')
    expect(shown.stdout).toMatch(/Two\n {2}lines\n/)
    expect(shown.stdout).toContain('Imported from Stand')
  })

  it('notes what a lead has said', async () => {
    write('said.csv', 'name,email\nDee Said,dee@said.example\n')
    await run('import', 'said.csv', '--yes')
    const { data } = await json<{ data: Array<{ id: string }> }>('list', '--search', 'said')
    const id = data[0]?.id ?? ''
    expect(await run('consent', id, '--said', 'declined')).toMatchObject({ code: 2 })
    const noted = await run('consent', id, '--said', 'declined', '--note', 'told me by phone')
    expect(noted).toMatchObject({ code: 0, stdout: `✔ noted for Dee Said  ${id}\n` })
    expect((await run('show', id)).stdout).toContain('Declined: told me by phone')
  })

  it('refuses files and users, with the exit codes of all commands', async () => {
    write('empty.csv', '')
    write('numbers.csv', '1,2\n3,4\n')
    const cases: ReadonlyArray<[args: string[], code: number, says: string]> = [
      [['import', 'missing.csv', '--yes'], 2, 'There is no file missing.csv'],
      [['import', 'empty.csv', '--yes'], 2, 'empty'],
      [['import', 'numbers.csv', '--yes'], 2, 'Line 1'],
      [['import', '--duplicates', 'create', 'numbers.csv'], 2, 'skip'],
      [['show', '01ARZ3NDEKTSV4RRFFQ69G5FAV'], 1, 'There is no lead'],
      [['undo', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '--yes'], 1, 'There is no import'],
      [['export', '--status', 'warm'], 2, 'converted'],
    ]
    for (const [args, code, says] of cases) {
      const ended = await run(...args)
      expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
      expect(ended.stderr).toContain(says)
    }
    expect(await staff.run(['lead', 'export'])).toMatchObject({ code: 4, stdout: '' })
  })

  it('asks at a terminal', async () => {
    write('asked.csv', 'email\nasked@terminal.example\n')
    using screen = await onScreen(['lead', 'import', 'asked.csv'], { cwd: staff.home, env: login.env })
    await screen.shows('Import 1 lead?')
    screen.type('y')
    expect(await screen.ended).toBe(0)
    expect(screen.lines().at(-1)).toMatch(/^Undo it with: copydesk lead undo [0-9A-Z]{26}$/)
    expect(await emailsOf('--search', 'asked')).toEqual(['asked@terminal.example'])
  })
})
