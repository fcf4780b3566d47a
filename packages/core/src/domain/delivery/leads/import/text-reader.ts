import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../../kernel/context.ts'
import type { CsvFormat } from '../entities.ts'
import type { ReadyLeads } from './ready.ts'
import type { ReadRow } from './rows.ts'
import type { ReadChunk } from './tasks.ts'

/** How much of a text is read at a time, bytes. */
const partBytes = 256 * 1_024

/** Parts of one tenant that wait for a thread. */
const mostWaiting = 100

/** After rows that were not ready after all, in so many parts each is looked at: a file that was imported before has more of them. */
const cautiousParts = 8

/** A row's beginning: bytes of the text, and the line there. */
export interface TextPlace {
  at: number
  line: number
}

interface FileText {
  tenantId: string
  text: Uint8Array
  format: CsvFormat
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
   * @throws CsvFault
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
    const text = this.#file.text.slice(from.at, after.at)
    const { chunks } = await this.#read(text, from.line, true, false)
    const part = { from, chunks, after, isLast: true }
    return { ...(await nextBatch(part, from, count)), after }
  }

  async #next(from: TextPlace): Promise<Part | undefined> {
    const { text } = this.#file
    const { at, line } = from
    if (at >= text.byteLength) return undefined
    const makesReady = this.#cautious === 0
    if (!makesReady) this.#cautious -= 1
    for (let size = partBytes; ; size *= 4) {
      const isLast = at + size >= text.byteLength
      // A copy of its own: the whole text would go to the thread otherwise.
      const part = text.slice(at, at + size)
      const { chunks, end, lines } = await this.#read(part, line, isLast, makesReady)
      if (end === 0 && !isLast) continue
      return { from, chunks, after: { at: at + end, line: line + lines }, isLast }
    }
  }

  #read(text: Uint8Array, line: number, isWhole: boolean, makesReady: boolean) {
    const { tenantId, format } = this.#file
    const owner = { owner: `leads:${tenantId}`, maxWaiting: mostWaiting, signal: this.#signal }
    const { threads } = this.#ctx.services
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
      count += chunk.ready.tails.length
    } else {
      rows.push(...(JSON.parse(chunk.rows) as ReadRow[]))
      count = rows.length
      await setImmediate()
    }
    after = chunks.length === 0 ? part.after : { at: part.from.at + chunk.end, line: chunk.nextLine }
  }
  return { from, after, count, ...(areReady ? { ready } : { rows }) }
}
