import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Reply, Request, Tasks } from './serve.ts'

export interface ThreadOptions {
  /** The entry of the threads, which calls `serve`. */
  file: URL
  /** How many threads there are at most; each is started when it is first needed. */
  threads: number
  /** Whether a thread stays for the next task; else it ends with its task, and gives its memory back. */
  keep: boolean
  /** Of the heap of one thread. */
  memoryMb: number
  /** A task that takes longer on its thread is ended with the thread, milliseconds. */
  deadlineMs: number
  /** How many tasks wait for a thread at most. */
  maxWaiting: number
}

export interface TaskOptions {
  /** For whom it is done: of one owner's tasks one is done at a time, so that nobody takes all threads. */
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
}

interface Job {
  request: Request
  owner: string
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  job: Job | undefined
  cancelDeadline: () => void
}

/**
 * A few worker threads, kept where starting one takes longer than most tasks do. A thread that dies or is ended takes its one
 * task along; the next task gets a new thread. Idle threads do not keep the process alive.
 */
export function createThreads<T extends Tasks>(options: ThreadOptions): Threads<T> {
  const { file, memoryMb, deadlineMs } = options
  const threads = new Set<Thread>()
  const waiting: Job[] = []
  const ending = new Set<Promise<unknown>>()
  let closed = false

  const start = (): Thread => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
    const thread: Thread = { worker, job: undefined, cancelDeadline: () => undefined }
    worker.on('message', (reply: Reply) => {
      const answer = (job: Job) => ('error' in reply ? job.reject(reply.error) : job.resolve(reply.value))
      if (options.keep) settle(thread, answer)
      else drop(thread, answer)
    })
    worker.on('error', (error) =>
      fail(thread, new ThreadFault('died', `A thread died: ${error.message}`, error)),
    )
    worker.on('exit', (code) => fail(thread, new ThreadFault('died', `A thread ended with ${code}`)))
    threads.add(thread)
    return thread
  }
  const settle = (thread: Thread, how: (job: Job) => void) => {
    const { job } = thread
    thread.cancelDeadline()
    thread.job = undefined
    thread.worker.unref()
    if (job) how(job)
    next()
  }
  const drop = (thread: Thread, how: (job: Job) => void) => {
    if (!threads.delete(thread)) return
    const ended = thread.worker.terminate().finally(() => ending.delete(ended))
    ending.add(ended)
    settle(thread, how)
  }
  const fail = (thread: Thread, fault: ThreadFault) => drop(thread, (job) => job.reject(fault))
  /** Gives the jobs that can be done to the threads that are free, first come first served among the owners. */
  const next = () => {
    while (!closed) {
      const idle = [...threads].find(({ job }) => job === undefined)
      if (!idle && threads.size >= options.threads) return
      const busy = new Set([...threads].map(({ job }) => job?.owner))
      const at = waiting.findIndex(({ owner }) => !busy.has(owner))
      const [job] = at < 0 ? [] : waiting.splice(at, 1)
      if (!job) return
      begin(idle ?? start(), job)
    }
  }
  const begin = (thread: Thread, job: Job) => {
    thread.job = job
    const timer = setTimeout(() => fail(thread, tooLong(job, deadlineMs)), deadlineMs)
    thread.cancelDeadline = () => clearTimeout(timer)
    thread.worker.ref()
    try {
      thread.worker.postMessage(job.request, [])
    } catch (error) {
      settle(thread, () => job.reject(error))
    }
  }
  const abort = (job: Job, fault: ThreadFault) => {
    const at = waiting.indexOf(job)
    if (at >= 0) waiting.splice(at, 1)
    const thread = [...threads].find((one) => one.job === job)
    if (thread) fail(thread, fault)
    else job.reject(fault)
  }
  return {
    run: (task, input, { owner, maxWaiting, signal }) =>
      new Promise((resolve, reject) => {
        const aborted = () => abort(job, new ThreadFault('aborted', `The task ${task} was stopped`))
        const release = () => signal?.removeEventListener('abort', aborted)
        const job: Job = {
          request: { task, input },
          owner,
          resolve(value) {
            release()
            resolve(value as never)
          },
          reject(error) {
            release()
            reject(error)
          },
        }
        if (closed) return job.reject(new ThreadFault('closed', 'The threads are closed'))
        if (signal?.aborted) return aborted()
        const own = waiting.filter((one) => one.owner === owner).length
        if (own >= maxWaiting || waiting.length >= options.maxWaiting)
          return job.reject(
            new ThreadFault('full', `Too many tasks wait for a thread; ${task} was not taken`),
          )
        signal?.addEventListener('abort', aborted, { once: true })
        waiting.push(job)
        next()
      }),
    async close() {
      closed = true
      const fault = new ThreadFault('closed', 'The threads were closed')
      for (const job of waiting.splice(0)) job.reject(fault)
      for (const thread of threads) fail(thread, fault)
      await Promise.all(ending)
    },
  }
}

const tooLong = ({ request: { task } }: Job, ms: number) =>
  new ThreadFault('deadline', `The task ${task} took longer than ${ms} ms`)

/**
 * The entry of a thread: the source, what the library is published with, or the program's own beside its code or above.
 * @param from the `import.meta.url` of the module beside which its source lies
 * @throws Error where the installation lacks it
 */
export function threadFile(name: string, from: string): URL {
  const file = [`./${name}.ts`, `./${name}.js`, `./${name}.mjs`, `../${name}.mjs`]
    .map((path) => new URL(path, from))
    .find((url) => existsSync(fileURLToPath(url)))
  if (file) return file
  throw new Error(`${name}, the entry of a thread, is missing from this installation`)
}
