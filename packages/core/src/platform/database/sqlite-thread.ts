import { Worker } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { threadFile } from '../threads/pool.ts'
import { heapLimits } from '../threads/threads.ts'
import type { Sql } from './database.ts'
import { bind } from './sqlite-statements.ts'
import type { Execute, Ran } from './sqlite-transaction.ts'
import type { WriteReply, WriteRequest, WriteThreadData } from './write-thread.ts'

/** Of the heap of the thread, MB: what statements take and give, a few at a time. */
const memoryMb = { old: 48, young: 4 }

export interface WriteThreadOptions extends WriteThreadData {
  /** The entry of the thread. */
  file?: URL
  /** A statement that takes longer has hung, milliseconds. */
  deadlineMs?: number
  /** How long the thread waits for the next unit of work before it ends and gives its memory back, milliseconds. */
  keepMs?: number
}

interface Asked {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * A connection to a file in a thread of its own, which is started when it is needed and ends some time afterwards. One unit
 * at a time. Statements are executed in the order in which they are sent; the next one may be sent before the answer to the last. What
 * is sent before the event loop turns makes one message, and so do the answers: each wakes a thread.
 */
export class WriteThread {
  readonly #options: Required<WriteThreadOptions>
  #worker: Worker | undefined
  /** Until the last thread has ended, and with it what it has locked. */
  #ended: Promise<unknown> = Promise.resolve()
  /** What still belongs to an earlier one must not reach the next. */
  #unit = 0
  #unsent: WriteRequest[] = []
  readonly #asked: Asked[] = []
  #closed = false
  #deadline: NodeJS.Timeout | undefined
  #rest: NodeJS.Timeout | undefined

  constructor({
    file = threadFile('write-thread', import.meta.url),
    deadlineMs = 60_000,
    keepMs = 2_000,
    ...data
  }: WriteThreadOptions) {
    this.#options = { file, deadlineMs, keepMs, ...data }
  }

  async begin(): Promise<void> {
    await this.#wake()
    // Goes with the first statement, which fails for the same reason.
    this.#send('begin').catch(() => undefined)
  }

  async commit(): Promise<void> {
    this.#unit += 1
    await this.#send('commit')
    this.#settle()
  }

  /** Takes back what was not committed; never fails. A thread that cannot do that is ended. */
  async rollback(): Promise<void> {
    this.#unit += 1
    try {
      if (this.#worker) await this.#send('rollback')
      this.#settle()
    } catch (error) {
      this.#fail(error as Error)
    }
    await this.#ended
  }

  /** Copies what is in the write-ahead log into the file, and waits for the disk; no unit is under way. */
  async fold(): Promise<void> {
    await this.#wake()
    await this.#send('fold').finally(() => this.#settle())
  }

  /** For the unit of work that has just begun: hand-written statements, and those of the ORM. */
  statements(): { sql: Sql; execute: Execute } {
    const unit = this.#unit
    const ask = (act: WriteRequest['act'], text: string, params: readonly unknown[]) =>
      this.#unit === unit
        ? this.#send(act, text, params)
        : Promise.reject(new Error('The transaction has ended'))
    return {
      sql: {
        all: async (text, params = []) => toRows(await ask('all', text, params.map(bind))) as never,
        get: async (text, params = []) => toRow(await ask('get', text, params.map(bind))) as never,
        run: async (text, params = []) => ((await ask('run', text, params.map(bind))) as Ran).changes,
      },
      execute: async (text, params) => {
        const result = await ask('any', text, params)
        return Array.isArray(result) ? toRows(result) : (result as Ran)
      },
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#fail(new Error('The database was closed'))
    await this.#ended
  }

  async #wake(): Promise<void> {
    clearTimeout(this.#rest)
    await this.#ended
    if (this.#closed) throw new Error('The database is closed')
    this.#worker ??= this.#start()
    this.#worker.ref()
  }

  #send(act: WriteRequest['act'], text = '', params: readonly unknown[] = []): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.#worker) throw new Error('The thread of the transaction has ended; nothing was written')
      if (this.#unsent.push({ act, text, params }) === 1) process.nextTick(() => this.#post())
      if (this.#asked.push({ resolve, reject }) === 1) this.#watch()
    })
  }

  #post(): void {
    const requests = this.#unsent.splice(0)
    try {
      if (requests.length > 0) this.#worker?.postMessage(requests, [])
    } catch (error) {
      // A value that cannot be copied. What was sent with it has no answer either.
      this.#fail(error as Error)
    }
  }

  #watch(): void {
    const { deadlineMs } = this.#options
    const late = () => this.#fail(new Error(`A statement took longer than ${deadlineMs} ms`))
    this.#deadline = setTimeout(late, deadlineMs)
  }

  #start(): Worker {
    const { file, path, synchronous, timeout } = this.#options
    const workerData: WriteThreadData = { path, synchronous, timeout }
    const worker = new Worker(file, { workerData, resourceLimits: heapLimits(memoryMb.old, memoryMb.young) })
    const died = (error: Error) => {
      if (this.#worker === worker) this.#fail(error)
    }
    worker.on('message', (replies: WriteReply[]) => {
      if (this.#worker === worker) for (const reply of replies) this.#answer(reply)
    })
    worker.on('error', died)
    worker.on('exit', (code) => died(new Error(`The thread that writes has ended with ${code}`)))
    return worker
  }

  #answer(reply: WriteReply): void {
    const asked = this.#asked.shift()
    if (this.#asked.length > 0) this.#deadline?.refresh()
    else clearTimeout(this.#deadline)
    if ('value' in reply) asked?.resolve(reply.value)
    else asked?.reject(toError(reply))
  }

  /** The thread may go when nothing more comes; it does not keep the process alive. */
  #settle(): void {
    this.#worker?.unref()
    const { keepMs } = this.#options
    clearTimeout(this.#rest)
    this.#rest = setTimeout(() => this.#fail(new Error('The thread has ended')), keepMs).unref()
  }

  #fail(error: Error): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#rest)
    const worker = this.#worker
    this.#worker = undefined
    // The process would end before the thread where nothing else keeps it alive.
    worker?.ref()
    if (worker) this.#ended = worker.terminate()
    this.#unsent = []
    for (const one of this.#asked.splice(0)) one.reject(error)
  }
}

const toRows = (rows: unknown) => (rows as unknown[]).map(toRow)

/** As the driver gives it: a buffer arrives as bytes. */
function toRow(row: unknown): unknown {
  for (const [name, value] of Object.entries(row ?? {}))
    if (value instanceof Uint8Array)
      Object.assign(row as object, { [name]: Buffer.from(value.buffer, value.byteOffset, value.byteLength) })
  return row
}

function toError({ message, code }: Extract<WriteReply, { message: string }>): Error {
  return code === undefined ? new Error(message) : new BetterSqlite.SqliteError(message, code)
}
