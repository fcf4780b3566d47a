import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { WrittenFile } from '../../../../platform/blobs/blobs.ts'
import { moving } from '../../../../platform/threads/moving.ts'
import type { CsvFormat } from '../entities.ts'
import { forEachRow, openCsv } from './csv.ts'
import { CsvFault } from './csv-fault.ts'
import { decodeCsv } from './decode.ts'
import { type ReadyLeads, readyLeads } from './ready.ts'
import { type FileLead, type ReadRow, readRow } from './rows.ts'

/** So many leads one file may have. */
const mostRows = 500_000

/** How many lines a preview shows, and how many faults. */
const shown = 20
const shownFaults = 100

/** A file in memory, or on the disk of this machine. */
type FileContent = Uint8Array | Pick<WrittenFile, 'path'>

export interface OpenedFile {
  /** In UTF-8, with one kind of line ends; of a file on the disk, in a file beside it. */
  text: Uint8Array | WrittenFile
  format: CsvFormat
  /** Where the first row begins, in bytes, and on which line. */
  start: number
  line: number
  total: number
}

export interface FilePreview extends Pick<OpenedFile, 'format' | 'total'> {
  rows: Array<{ row: number; lead: FileLead }>
  invalid: number
  errors: Array<{ row: number; reason: string }>
}

/** Rows that follow each other, and where the last of them ends: in bytes of the part, and the line behind it. */
export type ReadChunk = Pick<ReadRow, 'end' | 'nextLine'> &
  (
    | { ready: ReadyLeads }
    /** `ReadRow`s, as JSON: read at less than half the cost of a copy of objects, and a little at a time. */
    | { ready?: undefined; rows: string }
  )

/** Rows, and how many bytes and lines they are. */
export interface ReadPart {
  chunks: ReadChunk[]
  end: number
  lines: number
}

/** A part of a text that begins with a row. */
export interface LeadPart {
  text: Uint8Array
  format: CsvFormat
  line: number
  /** Whether it ends with a row; else what is cut at its end is left out. */
  isWhole: boolean
  /** Whether rows are made ready that can be. */
  makesReady: boolean
}

/** How many rows are in one of them. */
const perChunk = 500

/** A fault is returned: thrown, it would arrive without its kind. */
type OrFault<T> = T | { fault: string }

/** What is done to files of leads in threads. */
export const leadTasks = {
  /** Opens a file and counts its rows. */
  openLeads: (file: FileContent): OrFault<OpenedFile> =>
    caught(() => {
      const text = decodeCsv(bytesOf(file))
      const { format, start, line } = openCsv(text)
      const total = countRows(text.subarray(start), format, line)
      return { text: 'path' in file ? writeBeside(file.path, text) : text, format, start, line, total }
    }),
  /** Reads a file and keeps nothing of it. */
  previewLeads: (file: FileContent): OrFault<FilePreview> =>
    caught(() => {
      const text = decodeCsv(bytesOf(file))
      const { format, start, line } = openCsv(text)
      const rows = text.subarray(start)
      // Before they are looked at, which takes more than ten times as long.
      const total = countRows(rows, format, line)
      const preview: FilePreview = { format, total, rows: [], invalid: 0, errors: [] }
      const { delimiter } = format
      forEachRow(rows, { delimiter, line, isWhole: true }, (row) => {
        const read = readRow(row, format)
        if (!read) return
        if ('lead' in read) {
          const { identity: _identity, phoneKey: _key, words: _words, ...lead } = read.lead
          if (preview.rows.length < shown) preview.rows.push({ row: read.line, lead })
          return
        }
        preview.invalid += 1
        if (preview.errors.length < shownFaults) preview.errors.push({ row: read.line, reason: read.reason })
      })
      return preview
    }),
  readLeads: ({ text, format, line, isWhole, makesReady }: LeadPart): ReadPart => {
    const chunks: ReadChunk[] = []
    let rows: ReadRow[] = []
    const release = () => {
      const last = rows.at(-1)
      if (!last) return
      const { end, nextLine } = last
      const ready = makesReady ? readyLeads(rows) : undefined
      chunks.push({ end, nextLine, ...(ready ? { ready } : { rows: JSON.stringify(rows) }) })
      rows = []
    }
    const { delimiter } = format
    const buffer = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
    const place = forEachRow(buffer, { delimiter, line, isWhole }, (row) => {
      const read = readRow(row, format)
      if (read && rows.push(read) === perChunk) release()
    })
    release()
    const made = chunks.flatMap(({ ready }) => (ready ? [ready.values] : []))
    return moving({ chunks, ...place }, made)
  },
}

/** @param line on which the first row begins @throws CsvFault when there are too many */
function countRows(rows: Buffer, { delimiter }: CsvFormat, line: number): number {
  let total = 0
  forEachRow(rows, { delimiter, line, isWhole: true }, ({ line: at, cells }) => {
    if (cells.every((cell) => cell.trim() === '')) return
    total += 1
    if (total > mostRows) throw new CsvFault(at, `A file has at most ${mostRows} leads; split it`)
  })
  return total
}

const bytesOf = (file: FileContent) => ('path' in file ? readFileSync(file.path) : file)

function writeBeside(path: string, text: Uint8Array): WrittenFile {
  const beside = `${path}.text`
  writeFileSync(beside, text, { mode: 0o600, flag: 'wx' })
  return { path: beside, size: text.byteLength, sha256: createHash('sha256').update(text).digest('hex') }
}

function caught<T>(work: () => T): OrFault<T> {
  try {
    return work()
  } catch (error) {
    if (error instanceof CsvFault) return { fault: error.message }
    throw error
  }
}

export type LeadTasks = typeof leadTasks

declare module '../../../../kernel/in-thread.ts' {
  interface TextTasks extends LeadTasks {}
}
