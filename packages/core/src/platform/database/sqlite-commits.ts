import type BetterSqlite from 'better-sqlite3'
import type { CommitLog } from './sqlite-log.ts'
import type { WriteQueue } from './sqlite-queue.ts'

type Handle = Pick<BetterSqlite.Database, 'exec' | 'inTransaction'>

type Notice = [channel: string, payload: string]

/** Another connection to the file, whose statements are executed in a thread. */
export interface OtherConnection {
  begin(): Promise<void>
  commit(): Promise<void>
  /** Takes everything back that was not committed, and never fails: no lock of its own is left. */
  rollback(): Promise<void>
}

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
 * Units of work on one connection, one after another. Those that wait while others work, or that come while the disk does, share one
 * commit, each within a savepoint: a unit that fails takes back its own work only, and none has ended before the commit is durable. A
 * unit that no one waits behind is committed at once.
 */
export class SharedCommits {
  readonly #handle: Handle
  readonly #queue: WriteQueue<SharedCommits>
  readonly #deliver: (notices: readonly Notice[]) => void
  readonly #log: CommitLog | undefined
  #finished: Finished[] = []
  #notices: Notice[] = []
  #inSavepoint = false
  #begunAt = 0
  /** While the disk makes the last commit durable. */
  #syncing: Promise<void> | undefined
  /** No one works before that has ended. */
  #isHeld = false
  #isLong = false
  /** After it nothing can be made durable any more: what the disk has lost lies in the middle of the log. */
  #fault: unknown

  /**
   * @param deliver is given what units have to tell, once they are durable
   * @param log of a connection whose commits are not durable by themselves
   */
  constructor(
    handle: Handle,
    queue: WriteQueue<SharedCommits>,
    deliver: (notices: readonly Notice[]) => void,
    log?: CommitLog,
  ) {
    this.#handle = handle
    this.#queue = queue
    this.#deliver = deliver
    this.#log = log
  }

  /** Waits for the turn on the connection, which ends with `commit` or `leave`. */
  enter(): Promise<void> {
    return this.#queue.enter(this)
  }

  begin(): void {
    this.check()
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

  /** Commits what has ended, for what is not to be part of a unit. @returns when all of it is durable */
  async flush(): Promise<void> {
    await this.#syncing
    this.#commitFinished()
    await this.#syncing
  }

  /**
   * A unit of work on another connection. It has a turn and a commit of its own; others of this connection go on while the disk makes that
   * durable.
   * @returns when it is durable
   */
  async apart<T>(other: OtherConnection, work: () => Promise<T>): Promise<T> {
    await this.enter()
    const { promise: durable, resolve, reject } = Promise.withResolvers<void>()
    let result: T
    try {
      // What has ended but is not committed has the file locked.
      if (this.#finished.length > 0) await this.flush()
      this.check()
      await other.begin()
      result = await work()
      await this.#commitApart(other, { notices: this.#notices, resolve, reject })
    } catch (error) {
      await other.rollback()
      throw error
    } finally {
      this.#notices = []
      this.leave()
    }
    await durable
    return result
  }

  async #commitApart(other: OtherConnection, unit: Finished): Promise<void> {
    await this.#syncing
    this.check()
    const unpin = this.#log?.pin()
    try {
      await other.commit()
    } catch (error) {
      // It may be in the log all the same, when the answer was lost with the thread: readers see it when it is durable.
      await other.rollback()
      this.#makeDurable([], unpin)
      throw error
    }
    this.#isLong = this.#log?.isLong(true) ?? false
    this.#makeDurable([unit], unpin)
  }

  /** Ends the turn. What came while the unit worked reaches the queue before it is decided who commits. */
  leave(): void {
    setImmediate(() => {
      if (this.#nextShares()) this.#queue.pass()
      else this.#goOn()
    })
  }

  /** @throws what the disk has said */
  check(): void {
    if (this.#fault) throw this.#fault
  }

  #nextShares(): boolean {
    if (this.#queue.next !== this) return false
    if (this.#syncing) return !this.#isLong
    return this.#finished.length < mostUnits && performance.now() - this.#begunAt < longestMs
  }

  /** Decides, at the end of a turn, what comes next. */
  #goOn(): void {
    if (!this.#syncing) this.#commitFinished()
    if (this.#syncing && this.#isLong) {
      // The log can be folded when all of it is durable, and used again from its beginning when nothing is added meanwhile.
      this.#isHeld = true
    } else if (this.#syncing) {
      this.#queue.keep(this)
    } else {
      void this.#foldAndPass()
    }
  }

  /** The next turn begins when the log can be used from its beginning again. */
  async #foldAndPass(): Promise<void> {
    const isLong = this.#isLong && !this.#fault
    this.#isLong = false
    if (isLong) await this.#log?.fold()
    this.#queue.pass()
  }

  #commitFinished(): void {
    const finished = this.#finished.splice(0)
    if (finished.length === 0) return
    let unpin: (() => void) | undefined
    try {
      this.check()
      unpin = this.#log?.pin()
      this.#handle.exec('commit')
      this.#isLong = this.#log?.isLong() ?? false
    } catch (error) {
      unpin?.()
      if (this.#handle.inTransaction) this.#handle.exec('rollback')
      for (const one of finished) one.reject(error)
      return
    }
    this.#makeDurable(finished, unpin)
  }

  #makeDurable(finished: readonly Finished[], unpin?: () => void): void {
    if (this.#log) this.#syncing = this.#sync(this.#log, finished, unpin)
    else this.#end(finished)
  }

  async #sync(log: CommitLog, finished: readonly Finished[], unpin?: () => void): Promise<void> {
    try {
      await log.sync()
      unpin?.()
    } catch (error) {
      // Readers stay where they are: what they would see next may never have happened.
      this.#fault = error
    }
    this.#syncing = undefined
    try {
      if (this.#fault) for (const one of finished) one.reject(this.#fault)
      else this.#end(finished)
    } finally {
      if (this.#isHeld || this.#queue.takeBack(this)) {
        this.#isHeld = false
        this.#goOn()
      }
    }
  }

  #end(finished: readonly Finished[]): void {
    this.#deliver(finished.flatMap(({ notices }) => notices))
    for (const one of finished) one.resolve()
  }
}
