import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../../kernel/context.ts'
import type { CsvFormat } from '../entities.ts'
import type { ReadyLeads } from './ready.ts'
import type { ReadRow } from './rows.ts'
import type { ReadChunk } from './tasks.ts'

/** How much of a text is read at a time, bytes. */
const partBytes = 128 * 1_024

/** Parts of one tenant that wait for a thread. */
const mostWaiting = 100

/** After rows that were not ready after all, in so many parts each is looked at: a file that was imported before has more of them. */
const cautiousParts = 8

/** A row's beginning: bytes of the text, and the line there. */
export interface TextPlace {
  at: number
  line: number
}

/** Where a text is, and how it is to be read. */
interface FileText {
  tenantId: string
  key: string
  /** Bytes. */
  size: number
  format: CsvFormat
}

/** The text is not in the store any more. */
export class TextGone extends Error {
  override name = 'TextGone'
}

/** Rows for one transaction. */
export type Batch = { from: TextPlace; after: TextPlace; count: number } & (
  | { ready: readonly ReadyLeads[] }
  | { ready?: undefined; rows: readonly ReadRow[] }
)

interface Part {
  from: TextPlace
  /** Those that were not taken yet. */
  chunks: ReadChunk[]
  after: TextPlace
  /** Whether the text ends here. */
  isLast: boolean
}

/** Reads the text of a file in threads, the next part while the rows of one are written. */
export class TextReader {
  readonly #ctx: Ctx
  readonly #file: FileText
  readonly #signal: AbortSignal
  #cautious = 0

  constructor(ctx: Ctx, file: FileText, signal: AbortSignal) {
    this.#ctx = ctx
    this.#file = file
    this.#signal = signal
  }

  /**
   * The rows from a place on, as many at a time as `size` says.
   * @throws CsvFault, TextGone
   */
  async *batches(from: TextPlace, size: { readonly rows: number }): AsyncGenerator<Batch, void, undefined> {
    let place = from
    let part = await this.#next(from)
    while (part) {
      const following = part.isLast ? undefined : this.#next(part.after)
      following?.catch(() => undefined)
      while (part.chunks.length > 0) {
        const batch = await nextBatch(part, place, size.rows)
        yield batch
        place = batch.after
      }
      part = await following
    }
  }

  /** The rows of a batch once more, each of them to be looked at. */
  async again({ from, after, count }: Batch): Promise<Batch> {
    this.#cautious = cautiousParts
    const { chunks } = await this.#read(from, after.at, true, false)
    const part = { from, chunks, after, isLast: true }
    return { ...(await nextBatch(part, from, count)), after }
  }

  async #next(from: TextPlace): Promise<Part | undefined> {
    const { size } = this.#file
    const { at, line } = from
    if (at >= size) return undefined
    const makesReady = this.#cautious === 0
    if (!makesReady) this.#cautious -= 1
    for (let bytes = partBytes; ; bytes *= 4) {
      const isLast = at + bytes >= size
      const { chunks, end, lines } = await this.#read(from, Math.min(at + bytes, size), isLast, makesReady)
      if (end === 0 && !isLast) continue
      return { from, chunks, after: { at: at + end, line: line + lines }, isLast }
    }
  }

  /** @param end where the bytes end that are read */
  async #read({ at, line }: TextPlace, end: number, isWhole: boolean, makesReady: boolean) {
    const { tenantId, key, format } = this.#file
    const owner = { owner: `leads:${tenantId}`, maxWaiting: mostWaiting, signal: this.#signal }
    const { threads, blobs } = this.#ctx.services
    // The text as a whole may be large: no more of it is held than is worked on.
    const stored = await blobs.stream(key, { start: at, end: end - 1 })
    if (!stored) throw new TextGone()
    const text = await buffer(stored)
    return threads.run('readLeads', { text, format, line, isWhole, makesReady }, owner)
  }
}

/** Takes so many chunks of one kind that their rows are `wanted` or a little more. Others are answered between two. */
async function nextBatch(part: Part, from: TextPlace, wanted: number): Promise<Batch> {
  const { chunks } = part
  const ready: ReadyLeads[] = []
  const rows: ReadRow[] = []
  let count = 0
  let after = from
  const areReady = chunks[0]?.ready !== undefined
  for (let chunk = chunks[0]; chunk && count < wanted; chunk = chunks[0]) {
    if ((chunk.ready !== undefined) !== areReady) break
    chunks.shift()
    if (chunk.ready) {
      ready.push(chunk.ready)
      count += chunk.ready.count
    } else {
      rows.push(...(JSON.parse(chunk.rows) as ReadRow[]))
      count = rows.length
      await setImmediate()
    }
    after = chunks.length === 0 ? part.after : { at: part.from.at + chunk.end, line: chunk.nextLine }
  }
  return { from, after, count, ...(areReady ? { ready } : { rows }) }
}
