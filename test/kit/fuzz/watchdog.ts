import { Worker } from 'node:worker_threads'

/** What a request may cost the server, in time of its own thread and not of the clock: others may be using the machine. */
export interface Limits {
  /** The longest stretch in which no one else is answered, milliseconds of CPU. */
  stallMs: number
  /** From the request to its answer, milliseconds: of CPU, or of the clock less what the machine was busy with other things. */
  totalMs: number
  /** By which the process may grow, bytes. */
  grownBytes: number
}

export const usualLimits: Limits = { stallMs: 100, totalMs: 2_000, grownBytes: 100 << 20 }

interface Cost {
  stallMs: number
  cpuMs: number
  wallMs: number
  grownBytes: number
}

export interface Watchdog {
  /**
   * Does something and weighs it. What seems too dear is done again on its own, up to three times, so that a collection of
   * garbage or a first compilation is not taken for its cost. What never ends ends the process, with a line about it on
   * the standard error.
   * @param again puts everything back to how it was before
   * @returns what `act` gave the first time
   * @throws Error with a sentence when it is too dear each time
   */
  watch<T>(act: () => Promise<T>, again: () => Promise<void>): Promise<T>
}

const mib = (bytes: number) => `${Math.round(bytes / (1 << 20))} MiB`

/** CPU time of this thread, milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1_000
}

/** How often what seemed too dear is done again. */
const tries = 3

/** Watches what this thread does; a process has one. */
export async function createWatchdog(limits: Limits = usualLimits): Promise<Watchdog> {
  const state = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData: { state, limits },
    execArgv: [],
  })
  await new Promise((resolve, reject) => thread.once('online', resolve).once('error', reject))
  thread.unref()

  const weigh = async <T>(act: () => Promise<T>): Promise<{ value: T; cost: Cost }> => {
    const before = { cpu: cpuMs(), wall: performance.now(), rss: process.memoryUsage.rss() }
    Atomics.store(state, 0, 1)
    try {
      const value = await act()
      const cpu = cpuMs() - before.cpu
      const cost = {
        stallMs: cpu,
        cpuMs: cpu,
        wallMs: performance.now() - before.wall,
        grownBytes: process.memoryUsage.rss() - before.rss,
      }
      return { value, cost }
    } finally {
      Atomics.store(state, 0, 0)
    }
  }

  return {
    async watch(act, again) {
      const { value, cost } = await weigh(act)
      let least = cost
      for (let i = 0; i < tries && fault(least, limits); i += 1) {
        await again()
        globalThis.gc?.()
        const busy = busyness()
        const turns = watchTurns()
        const next = (await weigh(act).finally(turns.stop)).cost
        least = {
          stallMs: Math.min(least.stallMs, turns.longest()),
          cpuMs: Math.min(least.cpuMs, next.cpuMs),
          wallMs: Math.min(least.wallMs, next.wallMs / busy),
          grownBytes: Math.min(least.grownBytes, next.grownBytes),
        }
      }
      const why = fault(least, limits)
      if (why) throw new Error(why)
      return value
    },
  }
}

function fault({ stallMs, cpuMs: cpu, wallMs, grownBytes }: Cost, limits: Limits): string | undefined {
  const totalMs = Math.max(cpu, wallMs)
  if (totalMs > limits.totalMs) return `took ${Math.round(totalMs)} ms, where ${limits.totalMs} are allowed`
  if (stallMs > limits.stallMs)
    return `kept the server from everybody else for ${Math.round(stallMs)} ms of CPU, where ${limits.stallMs} are allowed`
  if (grownBytes > limits.grownBytes)
    return `took ${mib(grownBytes)} of memory, where ${mib(limits.grownBytes)} are allowed`
  return undefined
}

/** The CPU time of each turn of the event loop, until it is stopped. */
function watchTurns() {
  let [last, longest, isOn] = [cpuMs(), 0, true]
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const turn = () => {
    if (!isOn) return
    look()
    setImmediate(turn)
  }
  setImmediate(turn)
  return {
    longest: () => longest,
    stop: () => {
      look()
      isOn = false
    },
  }
}

/** By how much everything takes longer because the machine does other things: 1 where it is idle. */
function busyness(): number {
  const [cpu, wall] = [cpuMs(), performance.now()]
  while (cpuMs() - cpu < 20) for (let i = 0; i < 1_000; i += 1) Math.sqrt(i)
  return Math.max(1, (performance.now() - wall) / (cpuMs() - cpu))
}
