import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import type BreeScheduler from 'bree'
import type { Logger } from '../log.ts'
import { threadFile } from './pool.ts'
import { heapLimits } from './threads.ts'

/** What is due again and again. */
export interface CalendarEntry {
  name: string
  /** Five fields in UTC; with a sixth one before them, seconds. */
  cron: string
}

/** Bree, by which an instance starts its short-lived threads: by the calendar, and on demand. It is loaded when it is first needed. */
export interface Bree {
  /**
   * Has `onDue` called at each instant of a calendar. The times pass in threads of Bree's; what is due is done by the caller.
   * @throws TypeError for an entry that is no cron expression
   */
  schedule(calendar: readonly CalendarEntry[], onDue: (name: string) => void): Promise<void>
  /** Starts a thread that ends with its task. @param memoryMb of its heap */
  startThread(file: URL, memoryMb: number): Promise<Worker>
  /** Ends the calendar. Threads on demand are ended by those who started them, before this. */
  stop(): Promise<void>
}

/** Of the heap of a thread that only says that an instant has come. */
const tickMemoryMb = 16

export function createBree({ log }: { log: Logger }): Bree {
  let opened: Promise<BreeScheduler> | undefined
  let onDue: (name: string) => void = () => undefined
  let threads = 0
  const scheduled = new Set<string>()

  const open = async () => {
    const { default: Scheduler } = await import('bree')
    const bree = new Scheduler({
      root: false,
      timeout: false,
      timezone: 'UTC',
      acceptedExtensions: ['.ts', '.js', '.mjs'],
      // The entries of the calendar stay; they have timers.
      removeCompleted: true,
      logger: {
        info: () => undefined,
        warn: (text: unknown) => log.warn('bree', { text }),
        error: () => undefined,
      },
      workerMessageHandler: ({ name }: { name: string }) => {
        if (scheduled.has(name)) onDue(name)
      },
      errorHandler: (error: unknown, { name }: { name: string }) => {
        // Threads on demand are watched by those who started them.
        if (scheduled.has(name))
          log.warn('an instant of the calendar was lost; the next one makes up for it', { name, error })
      },
    })
    // Adding nothing makes it ready, once: those who add at the same time later would each do it, and lose each other's.
    await bree.add([])
    return bree
  }

  return {
    async schedule(calendar, listener) {
      const bree = await (opened ??= open())
      onDue = listener
      const path = fileURLToPath(threadFile('calendar-worker', import.meta.url))
      await bree.add(
        calendar.map(({ name, cron }) => ({
          name,
          cron,
          path,
          hasSeconds: cron.trim().split(/\s+/).length > 5,
          worker: { resourceLimits: heapLimits(tickMemoryMb) },
        })),
      )
      for (const { name } of calendar) {
        scheduled.add(name)
        await bree.start(name)
      }
    },
    async startThread(file, memoryMb) {
      const bree = await (opened ??= open())
      threads += 1
      const name = `thread ${threads}`
      const worker = { resourceLimits: heapLimits(memoryMb) }
      await bree.add({ name, path: fileURLToPath(file), worker })
      await bree.run(name)
      const started = bree.workers.get(name)
      if (!started) throw new Error(`${fileURLToPath(file)} was not started as a thread`)
      return started
    },
    async stop() {
      onDue = () => undefined
      await (await opened)?.stop()
    },
  }
}
