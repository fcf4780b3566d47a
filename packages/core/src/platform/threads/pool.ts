import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Tasks, ThreadReply, ThreadRequest } from './serve.ts'
import {
  heapLimits,
  memoryExceeded,
  type TaskOptions,
  ThreadFault,
  type ThreadOptions,
  type Threads,
} from './threads.ts'

/** Threads for work that would hold up the event loop, as `options` describe them. */
export function createThreads<T extends Tasks>(options: ThreadOptions): Threads<T> {
  const pool = new ThreadPool(options)
  return {
    run: (task, input, of) => pool.run({ task, input }, of) as never,
    close: () => pool.close(),
  }
}

interface Job {
  request: ThreadRequest
  owner: string
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Thread {
  worker: Promise<Worker>
  job: Job | undefined
  /** Cancels what was to happen at the deadline of its task, or at the end of its rest. */
  cancelTimer: () => void
}

/**
 * A few worker threads, kept where starting one takes longer than most tasks do. A thread that dies or is ended takes its one
 * task along; the next task gets a new thread. Idle threads do not keep the process alive.
 */
class ThreadPool {
  readonly #options: ThreadOptions
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  readonly #ending = new Set<Promise<unknown>>()
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  run(request: ThreadRequest, { owner, maxWaiting, signal }: TaskOptions): Promise<unknown> {
    const { task } = request
    return new Promise((resolve, reject) => {
      const aborted = () => this.#abort(job, new ThreadFault('aborted', `The task ${task} was stopped`))
      const release = () => signal?.removeEventListener('abort', aborted)
      const job: Job = {
        request,
        owner,
        resolve(value) {
          release()
          resolve(value)
        },
        reject(error) {
          release()
          reject(error)
        },
      }
      if (this.#closed) return job.reject(new ThreadFault('closed', 'The threads are closed'))
      if (signal?.aborted) return aborted()
      const own = this.#waiting.filter((one) => one.owner === owner).length
      if (own >= maxWaiting || this.#waiting.length >= this.#options.maxWaiting)
        return job.reject(new ThreadFault('full', `Too many tasks wait for a thread; ${task} was not taken`))
      signal?.addEventListener('abort', aborted, { once: true })
      this.#waiting.push(job)
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    const fault = new ThreadFault('closed', 'The threads were closed')
    for (const job of this.#waiting.splice(0)) job.reject(fault)
    for (const thread of this.#threads) this.#fail(thread, fault)
    await Promise.all(this.#ending)
  }

  /** Gives the jobs that can be done to the threads that are free, first come first served among the owners. */
  #next(): void {
    while (!this.#closed) {
      const threads = [...this.#threads]
      const idle = threads.find(({ job }) => job === undefined)
      if (!idle && threads.length >= this.#options.threads) return
      const busy = new Set(threads.map(({ job }) => job?.owner))
      const at = this.#waiting.findIndex(({ owner }) => !busy.has(owner))
      const [job] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (!job) return
      this.#begin(idle ?? this.#start(), job)
    }
  }

  #start(): Thread {
    const { file, memoryMb, youngMb, start = startNodeThread } = this.#options
    const thread: Thread = {
      worker: start(file, memoryMb, youngMb),
      job: undefined,
      cancelTimer: () => undefined,
    }
    this.#threads.add(thread)
    thread.worker.then(
      (worker) => this.#watch(thread, worker),
      (error: Error) =>
        this.#fail(thread, new ThreadFault('died', `A thread did not start: ${error.message}`, error)),
    )
    return thread
  }

  #watch(thread: Thread, worker: Worker): void {
    worker.on('message', (reply: ThreadReply) => {
      const answer = (job: Job) => ('error' in reply ? job.reject(reply.error) : job.resolve(reply.value))
      if (this.#options.keepMs > 0) this.#settle(thread, answer)
      else this.#drop(thread, answer)
    })
    worker.on('error', (error) =>
      this.#fail(thread, new ThreadFault('died', `A thread died: ${error.message}`, error)),
    )
    worker.on('exit', (code) => this.#fail(thread, new ThreadFault('died', `A thread ended with ${code}`)))
    this.#watchMemory(thread, worker)
  }

  #watchMemory(thread: Thread, worker: Worker): void {
    const { watch } = this.#options
    if (!watch) return
    const look = async () => {
      const { used_heap_size, external_memory } = await worker.getHeapStatistics()
      if (used_heap_size <= watch.heapMb * 2 ** 20 && external_memory <= watch.bufferMb * 2 ** 20) return
      const error = memoryExceeded(watch)
      this.#fail(thread, new ThreadFault('died', `A thread was ended: ${error.message}`, error))
    }
    // It rejects when the thread has ended meanwhile.
    const timer = setInterval(() => void look().catch(() => undefined), 50).unref()
    worker.on('exit', () => clearInterval(timer))
  }

  #begin(thread: Thread, job: Job): void {
    const { deadlineMs } = this.#options
    thread.cancelTimer()
    thread.job = job
    const timer = setTimeout(() => this.#fail(thread, tooLong(job, deadlineMs)), deadlineMs)
    thread.cancelTimer = () => clearTimeout(timer)
    void whenStarted(thread, (worker) => {
      // It may have been given up meanwhile.
      if (thread.job !== job) return
      worker.ref()
      try {
        worker.postMessage(job.request, [])
      } catch (error) {
        this.#settle(thread, () => job.reject(error))
      }
    })
  }

  #settle(thread: Thread, how: (job: Job) => void): void {
    const { job } = thread
    thread.cancelTimer()
    thread.job = undefined
    if (this.#threads.has(thread)) void whenStarted(thread, (worker) => worker.unref())
    if (job) how(job)
    this.#next()
    if (thread.job === undefined && this.#threads.has(thread)) this.#rest(thread)
  }

  /** Lets a thread go that is given no task for a while. */
  #rest(thread: Thread): void {
    const { keepMs } = this.#options
    if (keepMs === Number.POSITIVE_INFINITY) return
    const timer = setTimeout(() => this.#drop(thread, () => undefined), keepMs).unref()
    thread.cancelTimer = () => clearTimeout(timer)
  }

  #drop(thread: Thread, how: (job: Job) => void): void {
    if (!this.#threads.delete(thread)) return
    const end = (worker: Worker) => {
      // The process would end before the thread where nothing else keeps it alive.
      worker.ref()
      return worker.terminate()
    }
    const ended = whenStarted(thread, end).finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    this.#settle(thread, how)
  }

  #fail(thread: Thread, fault: ThreadFault): void {
    this.#drop(thread, (job) => job.reject(fault))
  }

  #abort(job: Job, fault: ThreadFault): void {
    const at = this.#waiting.indexOf(job)
    if (at >= 0) this.#waiting.splice(at, 1)
    const thread = [...this.#threads].find((one) => one.job === job)
    if (thread) this.#fail(thread, fault)
    else job.reject(fault)
  }
}

const startNodeThread = async (file: URL, memoryMb: number, youngMb?: number) =>
  new Worker(file, { resourceLimits: heapLimits(memoryMb, youngMb) })

/** Does something with a thread once it runs; one that did not start has been given up already. */
const whenStarted = ({ worker }: Thread, act: (worker: Worker) => unknown) =>
  worker.then(act, () => undefined)

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
