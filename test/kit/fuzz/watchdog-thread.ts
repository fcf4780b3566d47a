import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/**
 * The thread that watches another: what never ends keeps its own thread from noticing. It ends the process, and only far
 * beyond the limits.
 */

const { state, limits } = workerData as {
  state: Int32Array
  limits: { totalMs: number; grownBytes: number }
}

const lookMs = 25
const most = { cpuMs: limits.totalMs * 3, bytes: limits.grownBytes * 5 }

/** Of the whole process: the watched thread has the greatest part in it. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

let since: { cpuMs: number; rss: number } | undefined

setInterval(() => {
  if (Atomics.load(state, 0) === 0) {
    since = undefined
    return
  }
  const now = { cpuMs: cpuMs(), rss: process.memoryUsage.rss() }
  since ??= now
  const [spent, grown] = [now.cpuMs - since.cpuMs, now.rss - since.rss]
  if (spent < most.cpuMs && grown < most.bytes) return
  const cost = `${Math.round(spent)} ms of CPU and ${Math.round(grown / (1 << 20))} MiB of memory`
  writeSync(2, `was cut off after ${cost}: it does not seem to end\n`)
  process.kill(process.pid, 'SIGKILL')
}, lookMs)
