import { monitorEventLoopDelay } from 'node:perf_hooks'

let watching

/** What every program under load can be asked; JavaScript, so that the packed program holds nothing that strips types. */
export const common = {
  cpu: () => process.cpuUsage().user + process.cpuUsage().system,
  memory: async () => {
    for (let i = 0; i < 4; i += 1) {
      globalThis.gc?.()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return process.memoryUsage.rss()
  },
  watch: () => {
    watching?.stop()
    watching = startWatch()
  },
  watched: () => watching?.stop(),
}

function startWatch() {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  return {
    stop() {
      clearInterval(timer)
      delay.disable()
      return { stall: delay.max / 1e6, peak: Math.max(peak, process.memoryUsage.rss()) }
    },
  }
}
