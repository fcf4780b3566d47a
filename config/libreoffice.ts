import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A LibreOffice that converts spreadsheets, or why there is none. */
export type FoundLibreOffice = { program: string } | { program?: undefined; reason: string }

/** Where its program may be; the first one that is there counts. */
const places = ['soffice', '/Applications/LibreOffice.app/Contents/MacOS/soffice']

/**
 * Finds the program of LibreOffice (`apt install libreoffice-calc`) and has it convert a sheet: without its spreadsheets, or where it may
 * not do all that it wants, it ends well and writes nothing.
 * @param limitMs how long it may take, milliseconds; the first start of a profile takes some seconds
 */
export async function findLibreOffice(programs = places, limitMs = 45_000): Promise<FoundLibreOffice> {
  const folder = mkdtempSync(join(tmpdir(), 'copydesk-sheet-'))
  try {
    for (const program of programs) {
      const fault = await whyUseless(program, folder, limitMs)
      if (fault === undefined) return { program }
      if (fault !== missing) return { reason: `the one that is installed ${fault}` }
    }
    return { reason: missing }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const missing = 'it is not installed'

/** The filter for CSV, and its numbers for commas, quotation marks and UTF-8. */
const toCsv = 'csv:Text - txt - csv (StarCalc):44,34,76'

/** @returns what is wrong with the program, or undefined when it has converted a sheet of one cell */
async function whyUseless(program: string, folder: string, limitMs: number): Promise<string | undefined> {
  writeFileSync(join(folder, 'sheet.fods'), sheet([['converted']]))
  const said = await run(program, convertArguments(join(folder, 'sheet.fods'), toCsv, folder), limitMs)
  if (typeof said === 'string') return said
  const written = join(folder, 'sheet.csv')
  const last = said.output.trim().split('\n').at(-1) || 'nothing'
  if (!existsSync(written)) return `converts nothing (exit code ${said.code}); it said: ${last}`
  return readFileSync(written, 'utf8').trim() === 'converted' ? undefined : 'converts a sheet wrongly'
}

/** Runs a program to its end. @returns what it said, or why it did not end by itself */
async function run(
  program: string,
  args: readonly string[],
  limitMs: number,
): Promise<{ code: number | null; output: string } | string> {
  // A group of its own: the program is a script that starts others.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }, limitMs)
  try {
    return await new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ENOENT' ? missing : `cannot be started: ${error.message}`),
      )
      child.once('close', (code) => resolve(isLate ? `did not end within ${limitMs} ms` : { code, output }))
    })
  } finally {
    clearTimeout(timer)
  }
}

/** What its program is given to write a file in another format, with a profile of its own in the folder. @param to a format, with its filter */
export function convertArguments(file: string, to: string, folder: string, infilter?: string): string[] {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  const read = infilter === undefined ? [] : [`--infilter=${infilter}`]
  return ['--headless', profile, ...read, '--convert-to', to, '--outdir', folder, file]
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A sheet in the flat form of OpenDocument; every cell is text. */
export function sheet(rows: readonly (readonly string[])[]): string {
  const spaces = ['office', 'table', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  const paragraphs = (cell: string) => cell.split('\n').map((line) => `<text:p>${escaped(line)}</text:p>`)
  const cells = (row: readonly string[]) =>
    row.map(
      (cell) =>
        `<table:table-cell office:value-type="string">${paragraphs(cell).join('')}</table:table-cell>`,
    )
  const body = rows.map((row) => `<table:table-row>${cells(row).join('')}</table:table-row>`)
  const type = 'office:mimetype="application/vnd.oasis.opendocument.spreadsheet" office:version="1.2"'
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${spaces.join(' ')} ${type}><office:body><office:spreadsheet><table:table table:name="Leads">${body.join('')}</table:table></office:spreadsheet></office:body></office:document>`
}
