import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { measureTurns } from '../../kit/turns.ts'

let app: TestApp
let team: Team

beforeAll(async () => {
  app = await createTestApp()
  team = await app.team()
})

afterAll(() => app[Symbol.asyncDispose]())

/** What becomes of a file: the leads with their lines and the faults with theirs, or why it is rejected as a whole. */
async function preview(file: string | Uint8Array): Promise<string[]> {
  const body = new FormData()
  body.append('file', new Blob([file as BlobPart]), 'leads.csv')
  const found = await team.member
    .call('dashboard', 'POST /leads/import/preview', { body })
    .catch((error: Error) => error.message)
  if (typeof found === 'string') return [found]
  const leads = found.rows.map(({ row, lead: { firstName, lastName, email, phone, company, tags } }) =>
    [row, firstName, lastName, email, phone, company, tags?.join('+')].map((value) => value ?? '').join('|'),
  )
  return [...leads, ...found.errors.map(({ row, reason }) => `${row} ${reason}`)]
}

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))
const bigEndian = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le').swap16())
const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))
const head = 'firstName,lastName,email\n'
const ann = ['2|Ann|Cruz|a@x.example|||']
const line = 'Ann,Cruz,a@x.example'

/** A text of that form. */
const like = (form: RegExp): unknown => expect.stringMatching(form)

const files: ReadonlyArray<readonly [name: string, file: string | Uint8Array, result: readonly unknown[]]> = [
  [
    'a workbook that is named like CSV',
    new Uint8Array([0x50, 0x4b, 0x03, 0x04, ...Buffer.from(head + line)]),
    [like(/^Line 1: The file is a workbook .*save the sheet as CSV/)],
  ],
  ['a byte order mark', `\ufeff${head}${line}`, ann],
  ['a byte order mark before a quoted header', `\ufeff"firstName",lastName,email\n${line}`, ann],
  ['UTF-16, little-endian, with a mark', utf16(`\ufeff${head}${line}`), ann],
  ['UTF-16, big-endian, with a mark', bigEndian(`\ufeff${head}${line}`), ann],
  ['UTF-16 without a mark', utf16(head + line), ann],
  ['Unicode text of Excel: UTF-16 with tabs', utf16(`\ufeff${head}${line}`.replaceAll(',', '\t')), ann],
  ['Windows-1252', latin(`${head}Zoë,Müller,z@x.example`), ['2|Zoë|Müller|z@x.example|||']],
  [
    'UTF-8 that is broken in one place',
    new Uint8Array([...Buffer.from(`${head}Zo`), 0xeb, ...Buffer.from(',M,z@x.example')]),
    ['2|Zoë|M|z@x.example|||'],
  ],
  ['semicolons', (head + line).replaceAll(',', ';'), ann],
  ['bars', (head + line).replaceAll(',', '|'), ann],
  ['a hint of the delimiter', `sep=;\r\n${head}${line}`.replaceAll(',', ';'), ['3|Ann|Cruz|a@x.example|||']],
  [
    'semicolons beside a comma in the header',
    'firstName;"lastName, or family name";email\nAnn;C;a@x.example',
    ['2|Ann||a@x.example|||'],
  ],
  ['CRLF', `${head}${line}\n`.replaceAll('\n', '\r\n'), ann],
  ['lone CR', `${head}${line}\n`.replaceAll('\n', '\r'), ann],
  [
    'mixed line ends',
    `firstName,lastName,email\r${line}\r\nBo,B,b@x.example\n`,
    [...ann, '3|Bo|B|b@x.example|||'],
  ],
  ['CR CRLF', `${head}${line}\n`.replaceAll('\n', '\r\r\n'), ['3|Ann|Cruz|a@x.example|||']],
  ['quotes in quotes', `${head}"Ann ""Queen""",Cruz,a@x.example`, ['2|Ann "Queen"|Cruz|a@x.example|||']],
  ['a quote within a value', `${head}Ann "Q" A,Cruz,a@x.example`, ['2|Ann "Q" A|Cruz|a@x.example|||']],
  ['text behind a closing quote', `${head}"Ann"x,Cruz,a@x.example`, [like(/^2\|"?Ann"?x\|Cruz/)]],
  [
    'a quote that is not closed',
    `${head}${line}\n"Bo,B,b@x.example\nCy,C,c@x.example`,
    ['Line 3: A quotation mark opens a value and none closes it'],
  ],
  [
    'a value over three lines',
    `${head}"Ann\n\nLee",Cruz,a@x.example\nBo,B,b`,
    ['2|Ann Lee|Cruz|a@x.example|||', '5 email: Invalid email address'],
  ],
  [
    'a delimiter within quotes',
    `${head}"Ann, the first",Cruz,a@x.example`,
    ['2|Ann, the first|Cruz|a@x.example|||'],
  ],
  ['NUL within a value', `${head}A\0nn,Cruz,a@x.example`, ann],
  ['nothing but NUL', new Uint8Array(1_000), ['Line 1: The file is empty']],
  ['control characters', `${head}A\x07nn,Cr\x1buz,a@x.example`, ['2|A nn|Cr uz|a@x.example|||']],
  ['a formula', `${head}=1+1,@SUM(A1),a@x.example`, ['2|=1+1|@SUM(A1)|a@x.example|||']],
  [
    'a command in a formula',
    `${head}Ann,"=cmd|'/c calc'!A1",a@x.example`,
    ["2|Ann|=cmd|'/c calc'!A1|a@x.example|||"],
  ],
  ['an escaped formula', `${head}'=1+1,''-2,a@x.example`, ["2|=1+1|'-2|a@x.example|||"]],
  [
    'a cell of 1 MB',
    `${head}${'x'.repeat(1_000_000)},Cruz,a@x.example\n${line}`,
    ['3|Ann|Cruz|a@x.example|||', like(/^2 firstName: Too big/)],
  ],
  [
    'a line of 3 MB',
    `${head}${'x'.repeat(3_000_000)},Cruz,a@x.example\n${line}`,
    ['Line 2: The line has more than 2000000 characters'],
  ],
  ['10,000 columns', `${head.trim()}${',c'.repeat(10_000)}\n${line}${',1'.repeat(10_000)}`, ann],
  ['10,000 values', `${head}${line}${',1'.repeat(10_000)}`, ['2 The line has 10003 values, the header 3']],
  ['fewer values than columns', `${head}Ann`, ['2|Ann|||||']],
  ['empty values at the end', `${head}${line},,,`, ann],
  ['empty lines everywhere', `\n\n${head}\n\n${line}\n\n`, ['6|Ann|Cruz|a@x.example|||']],
  ['lines of delimiters only', `${head},,\n${line}\n ,\t,`, ['3|Ann|Cruz|a@x.example|||']],
  [
    'a header that comes twice',
    `${head}${head}${line}`,
    ['3|Ann|Cruz|a@x.example|||', '2 email: Invalid email address'],
  ],
  ['a column that comes twice', 'email,E-Mail,name\na@x.example,b@x.example,Ann', ['2|Ann||a@x.example|||']],
  ['no header', `${line}\n`, [like(/^Line 1: The header names no column/)]],
  ['a header only', head, []],
  ['spaces around everything', ' First_Name , LAST NAME ,e-mail\n  Ann , Cruz  , a@x.example ', ann],
  [
    'half a surrogate pair',
    utf16(`\ufeff${head}A\ud83d,Cruz,a@x.example`),
    ['2|A\ufffd|Cruz|a@x.example|||'],
  ],
  ['names that programs know', '__proto__,constructor,name\n1,2,Ann Cruz', ['2|Ann|Cruz||||']],
  [
    'a picture',
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13]),
    [like(/^Line \d: The header names no column/)],
  ],
  ['a name with its last name first', 'name,email\n"Cruz, Ann",a@x.example', ann],
  ['a number that is none', 'name,phone\nAnn Cruz,n/a', [like(/^2 phone: Must be a phone number/)]],
  ['six million empty lines', `${head}${'\n'.repeat(6_000_000)}${line}`, ['6000002|Ann|Cruz|a@x.example|||']],
  [
    'more leads than a file may have',
    `name\n${'a\n'.repeat(500_001)}`,
    ['Line 500002: A file has at most 500000 leads; split it'],
  ],
]

describe('dashboard.leads.preview', () => {
  it('refuses a header of a million columns, and others are answered meanwhile', async () => {
    const { value, longestMs } = await measureTurns(() => preview(`${head.trim()}${','.repeat(1_000_000)}\n`))
    expect(value).toEqual(['Line 1: The header has more than 16384 columns'])
    expect(longestMs).toBeLessThan(200)
  })

  for (const [name, file, result] of files)
    it(`reads ${name} right, or tells line and reason`, async () => {
      const found = await preview(file)
      expect(found).toEqual(result)
    })
})
