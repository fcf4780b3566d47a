import type { ResourceLimits, Worker } from 'node:worker_threads'
import type { Tasks } from './serve.ts'

/** Of the young part of a thread's heap, MB. V8 lets it grow to 48 without need: a long PDF then takes twice the memory, and no less time. */
const youngMb = 16

/** The limits of a thread, for Node. @param memoryMb of the old part of its heap @param young of the young part, MB */
export const heapLimits = (memoryMb: number, young = youngMb): ResourceLimits => ({
  maxOldGenerationSizeMb: memoryMb,
  maxYoungGenerationSizeMb: young,
})

/** What one thread may take. */
export interface MemoryLimits {
  heapMb: number
  /** Outside of the heap. */
  bufferMb: number
}

export interface ThreadOptions {
  /** The entry of the threads, which calls `serve`. */
  file: URL
  /** Starts one of them. Default: a thread of Node's. */
  start?: (file: URL, memoryMb: number, youngMb?: number) => Promise<Worker>
  /** How many threads there are at most; each is started when it is first needed. */
  threads: number
  /** How long a thread waits for its next task before it ends and gives its memory back, milliseconds. 0: it ends with its task. */
  keepMs: number
  /** Of the heap of one thread. */
  memoryMb: number
  /** Of the young part of it, for threads of Node's. Default 16. */
  youngMb?: number
  /**
   * Ends a thread that takes more, looked at twenty times a second. Node has no limit for buffers, and where a heap is too full for
   * one large allocation it ends the process, not the thread: with this, `memoryMb` can be well above what tasks may take.
   */
  watch?: MemoryLimits
  /** A task that takes longer on its thread is ended with the thread, milliseconds. */
  deadlineMs: number
  /** How many tasks wait for a thread at most. */
  maxWaiting: number
}

export interface TaskOptions {
  /** For whom it is done: of one owner's tasks one is done at a time, so that no one takes all threads. */
  owner: string
  /** How many tasks of the owner wait at most. */
  maxWaiting: number
  signal?: AbortSignal | undefined
}

/** Threads for work that would hold up the event loop. */
export interface Threads<T extends Tasks> {
  /**
   * Does a task in a thread. Input and result are copied.
   * @throws ThreadFault when it was not done; else what the task has thrown
   */
  run<N extends keyof T & string>(
    task: N,
    input: Parameters<T[N]>[0],
    options: TaskOptions,
  ): Promise<Awaited<ReturnType<T[N]>>>
  /** Ends the threads; what is done or waits in them is rejected. */
  close(): Promise<void>
}

/**
 * Why a task was not done: too many wait already, it took longer than the deadline, its thread died of it (memory, for
 * example), its signal was aborted, or the threads were closed.
 */
export class ThreadFault extends Error {
  readonly reason: 'full' | 'deadline' | 'died' | 'aborted' | 'closed'
  constructor(reason: ThreadFault['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ThreadFault'
    this.reason = reason
  }

  /** Whether the thread died because its task took more memory than it may. */
  get outOfMemory(): boolean {
    return this.cause instanceof Error && 'code' in this.cause && this.cause.code === outOfMemoryCode
  }
}

/** The code of Node's error for a heap that is full. */
const outOfMemoryCode = 'ERR_WORKER_OUT_OF_MEMORY'

/** The error for a thread that takes more than it may. */
export const memoryExceeded = ({ heapMb, bufferMb }: MemoryLimits) =>
  Object.assign(new Error(`It took more than ${heapMb} MB of heap or ${bufferMb} MB of buffers`), {
    code: outOfMemoryCode,
  })
