import type { ServerResponse } from 'node:http'
import { clockText, type Pace } from '../pace.ts'
import { listen, settings } from '../servers/answer.ts'

/** The same text for as many watchers, as few lines of node write it: nothing is kept, no one is asked who they are. */
const { pace } = settings<{ pace: Pace }>()
const watchers = new Map<string, ServerResponse[]>()

const write = async (run: string) => {
  for (let i = 0; i < pace.deltas; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, pace.everyMs))
    const data = JSON.stringify({ delta: clockText(), activityId: run, runId: run, attempt: 1 })
    const frame = Buffer.from(`id: ${i}\nevent: text_delta\ndata: ${data}\n\n`)
    for (const res of watchers.get(run) ?? []) res.write(frame)
  }
}

listen(
  (req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    res.flushHeaders()
    const run = req.url ?? ''
    watchers.set(run, [...(watchers.get(run) ?? []), res])
  },
  {
    atWork: () => pace.runs,
    go: () => {
      for (const run of watchers.keys()) void write(run)
      return true
    },
  },
)
