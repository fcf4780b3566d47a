import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite from 'better-sqlite3'
import { lowerPriority } from '../threads/lower-priority.ts'
import { release } from '../threads/release.ts'
import { preparedOn } from './sqlite-statements.ts'

/** Pages of the file that the connection keeps while the thread lasts, KiB. */
const keptKib = 4_096

export interface WriteThreadData {
  path: string
  synchronous: 'NORMAL' | 'OFF'
  /** How long it waits for the lock of another process, milliseconds. */
  timeout: number
}

/**
 * What the thread is asked for: a step of a unit of work, a statement with what is wanted of it, or, between two units, to fold the log;
 * `any`: rows if it has some.
 */
export interface WriteRequest {
  act: 'begin' | 'commit' | 'rollback' | 'fold' | 'all' | 'any' | 'get' | 'run'
  text: string
  params: readonly unknown[]
}

/** Of an error, what another one is made of: it would arrive without its kind. */
export type WriteReply = { value: unknown } | { message: string; code: string | undefined }

const port = parentPort
if (!port) throw new Error('This file is the entry of a worker thread and is not imported elsewhere')
const { path, synchronous, timeout } = workerData as WriteThreadData

lowerPriority()
const handle = new BetterSqlite(path, { fileMustExist: true, timeout })
handle.pragma(`cache_size = -${keptKib}`)
handle.pragma(`synchronous = ${synchronous}`)
handle.pragma('foreign_keys = ON')
// The log is folded when it is durable.
if (synchronous === 'NORMAL') handle.pragma('wal_autocheckpoint = 0')
const prepare = preparedOn(handle)

/** Why no transaction is open: it could not begin, or SQLite itself has taken it back, on a full disk for example. */
let fault: unknown

function perform({ act, text, params }: WriteRequest): unknown {
  if (act === 'begin') return void handle.exec('begin immediate')
  if (act === 'fold') return void handle.pragma('wal_checkpoint(PASSIVE)')
  if (act === 'rollback') return void (handle.inTransaction && handle.exec('rollback'))
  // Else it would be on its own.
  if (!handle.inTransaction) throw fault
  if (act === 'commit') return void handle.exec('commit')
  const statement = prepare(text)
  if (act === 'get') return statement.get(params)
  if (act === 'all' || (act === 'any' && statement.reader)) return statement.all(params)
  return statement.run(params)
}

function answer(request: WriteRequest): WriteReply {
  try {
    return { value: perform(request) }
  } catch (error) {
    if (!handle.inTransaction) fault = error
    const { message, code } = error as { message: string; code?: string }
    return { message, code }
  }
}

port.on('message', (requests: WriteRequest[]) => {
  const replies = requests.map(answer)
  // Several may be in the same buffer.
  for (const { params } of requests)
    for (const param of params) if (param instanceof Uint8Array) release(param)
  port.postMessage(replies, [])
})
