import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../../kernel/context.ts'
import { release } from '../../../../platform/threads/release.ts'
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

/** Rows for one transaction: all of them ready, or none. */
export interface Batch {
  from: TextPlace
  after: TextPlace
  count: number
  /** What the rows are in where they are ready. */
  ready?: ReadyLeads[]
  /** The rows, where they are not. */
  rows: ReadRow[]
}

interface Part {
  from: TextPlace
  chunks: readonly ReadChunk[]
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
    let batch = emptyAt(from)
    for await (const { chunk, after } of this.#chunks(from)) {
      if (batch.count > 0 && isReady(batch) !== isReady(chunk)) {
        yield batch
        batch = emptyAt(batch.after)
      }
      add(batch, chunk, after)
      if (batch.count < size.rows) continue
      yield batch
      batch = emptyAt(after)
    }
    if (batch.count > 0) yield batch
  }

  /** The rows of a batch once more, each of them to be looked at. */
  async again({ from, after }: Batch): Promise<Batch> {
    this.#cautious = cautiousParts
    const { chunks } = await this.#read(from, after.at, true, false)
    const batch = emptyAt(from)
    for (const chunk of chunks) {
      add(batch, chunk, after)
      await setImmediate()
    }
    return batch
  }

  /** The chunks of all parts one after the other, and where what follows them begins. */
  async *#chunks(from: TextPlace): AsyncGenerator<{ chunk: ReadChunk; after: TextPlace }, void, undefined> {
    let part = await this.#next(from)
    while (part) {
      const { chunks, after, isLast } = part
      const { at } = part.from
      const following = isLast ? undefined : this.#next(after)
      following?.catch(() => undefined)
      for (const chunk of chunks) {
        yield { chunk, after: chunk === chunks.at(-1) ? after : { at: at + chunk.end, line: chunk.nextLine } }
        // Others are answered between two.
        if (!isReady(chunk)) await setImmediate()
      }
      part = await following
    }
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
    const read = threads.run('readLeads', { text, format, line, isWhole, makesReady }, owner)
    // The thread gets a copy, once it is free.
    return read.finally(() => release(text))
  }
}

const emptyAt = (from: TextPlace): Batch => ({ from, after: from, count: 0, rows: [] })

const isReady = ({ ready }: Pick<Batch, 'ready'> | ReadChunk) => ready !== undefined

function add(batch: Batch, chunk: ReadChunk, after: TextPlace): void {
  if (chunk.ready) {
    batch.ready ??= []
    batch.ready.push(chunk.ready)
    batch.count += chunk.ready.count
  } else {
    batch.rows.push(...(JSON.parse(chunk.rows) as ReadRow[]))
    batch.count = batch.rows.length
  }
  batch.after = after
}
