import type BetterSqlite from 'better-sqlite3'

type Handle = Pick<BetterSqlite.Database, 'exec' | 'inTransaction'>

type Notice = [channel: string, payload: string]

/** A unit of work that has ended well and waits for the commit. */
interface Finished {
  notices: Notice[]
  resolve(): void
  reject(error: unknown): void
}

const lost = 'The database has taken back a transaction that another one has failed in; nothing was written'

/** How many units may share a commit, and for how long it is put off for them, milliseconds. */
const mostUnits = 64
const longestMs = 25

/**
 * The writers of one file: first come, first served, and one in each turn of the event loop. What writes blocks the loop, so
 * connections, streams and timers have their turn before the next one. Unlike a mutex it tells who waits.
 */
export class WriteQueue {
  readonly #waiting: Array<{ writer: SharedCommits; enter: () => void }> = []
  #busy = false

  /** Waits for the turn, which `pass` ends. */
  async enter(writer: SharedCommits): Promise<void> {
    if (this.#busy) return new Promise((enter) => void this.#waiting.push({ writer, enter }))
    this.#busy = true
  }

  /** Who has the next turn. */
  get next(): SharedCommits | undefined {
    return this.#waiting[0]?.writer
  }

  pass(): void {
    const next = this.#waiting.shift()
    if (next) next.enter()
    else this.#busy = false
  }
}

/**
 * Units of work on one connection, one after another. Those that wait while others work share one commit, each within a
 * savepoint: a unit that fails takes back its own work only, and none has ended before the commit is durable. A unit that no one
 * waits behind is committed at once.
 */
export class SharedCommits {
  readonly #handle: Handle
  readonly #queue: WriteQueue
  readonly #deliver: (notices: readonly Notice[]) => void
  #finished: Finished[] = []
  #notices: Notice[] = []
  #inSavepoint = false
  #begunAt = 0

  /** @param deliver is given what units have to tell, once they are durable */
  constructor(handle: Handle, queue: WriteQueue, deliver: (notices: readonly Notice[]) => void) {
    this.#handle = handle
    this.#queue = queue
    this.#deliver = deliver
  }

  /** Waits for the turn on the connection, which ends with `commit` or `leave`. */
  enter(): Promise<void> {
    return this.#queue.enter(this)
  }

  begin(): void {
    this.#inSavepoint = this.#finished.length > 0
    this.#handle.exec(this.#inSavepoint ? 'savepoint unit' : 'begin immediate')
    if (!this.#inSavepoint) this.#begunAt = performance.now()
  }

  /** Something to be told once the unit is durable. */
  notify(channel: string, payload: string): void {
    this.#notices.push([channel, payload])
  }

  /** Ends the unit and the turn. @returns when it is durable */
  commit(): Promise<void> {
    if (this.#inSavepoint) this.#handle.exec('release unit')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#finished.push({ notices: this.#notices, resolve, reject })
    this.#notices = []
    this.leave()
    return promise
  }

  /** Takes the unit back; the turn goes on. */
  rollback(): void {
    this.#notices = []
    if (this.#inSavepoint && this.#takenBackAlone()) return
    if (this.#handle.inTransaction) this.#handle.exec('rollback')
    for (const one of this.#finished.splice(0)) one.reject(new Error(lost))
  }

  /** @returns false when SQLite has taken back everything since the last commit, as on a full or broken disk */
  #takenBackAlone(): boolean {
    try {
      this.#handle.exec('rollback to unit; release unit')
      return true
    } catch {
      return false
    }
  }

  /** Commits what has ended, for what is not to be part of a unit. */
  flush(): void {
    const finished = this.#finished.splice(0)
    if (finished.length === 0) return
    try {
      this.#handle.exec('commit')
    } catch (error) {
      if (this.#handle.inTransaction) this.#handle.exec('rollback')
      for (const one of finished) one.reject(error)
      return
    }
    this.#deliver(finished.flatMap(({ notices }) => notices))
    for (const one of finished) one.resolve()
  }

  /** Ends the turn. What came while the unit worked reaches the queue before it is decided who commits. */
  leave(): void {
    setImmediate(() => {
      try {
        if (!this.#nextShares()) this.flush()
      } finally {
        this.#queue.pass()
      }
    })
  }

  #nextShares(): boolean {
    return (
      this.#queue.next === this &&
      this.#finished.length < mostUnits &&
      performance.now() - this.#begunAt < longestMs
    )
  }
}
