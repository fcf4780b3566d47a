import { createHash } from 'node:crypto'

/** Where Redis is found, and how long it is waited for. */
export interface RedisSettings {
  /** `redis://` or `rediss://`, with user, password and database number where they are needed. */
  url: string
  /** Stands before every key, so that several installations share one Redis; default `copydesk:`. */
  prefix?: string
  /** Longest wait for an answer, milliseconds; default 500. */
  timeoutMs?: number
  /** Between two attempts to reach it again, milliseconds; default 1,000. */
  retryMs?: number
}

/** A Lua script; Redis runs it as one step. */
export interface Script {
  readonly text: string
  readonly sha: string
}

/** One connection to Redis, opened again by itself whenever it breaks. */
export interface Redis {
  /** False while Redis is away: whatever it is asked then is refused at once. */
  readonly up: boolean
  /** Opens the connection. Comes back when Redis answers, or when it did not in time; it is tried again from then on. */
  start(): Promise<void>
  /** Sends one command as it is. @throws {RedisAway} */
  send(...args: string[]): Promise<unknown>
  /** Runs a script; `keys` are given their prefix here. @throws {RedisAway} */
  run(script: Script, keys: readonly string[], args: ReadonlyArray<string | number>): Promise<unknown>
  /** The key as it stands in Redis. */
  key(name: string): string
  /** Calls `fn` each time Redis is there again, before anybody else can ask it something. */
  onUp(fn: () => void): void
  /** @throws Error that says why Redis cannot be used */
  check(): Promise<void>
  /** Waits for the answers that are due, for a moment, and closes the connection. */
  close(): Promise<void>
}

/** Redis does not answer, or refuses to work. Thrown without a wait once that is known. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway'
}

export function defineScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
