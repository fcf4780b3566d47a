import { createCopydesk } from '@copydesk/core'
import { pipeline } from '../../packages/core/src/gateway/pipeline.ts'
import type { Installation } from '../installation.ts'
import { listen, settings } from './answer.ts'

/** An instance whose pipeline takes the time of each stage; the clock is read twice for each, about 0.1 µs. */
const spent = new Map<string, { ns: bigint; runs: number }>()
for (const stage of pipeline) {
  const inner = stage.run
  const total = { ns: 0n, runs: 0 }
  spent.set(stage.name, total)
  const add = (from: bigint) => {
    total.ns += process.hrtime.bigint() - from
    total.runs += 1
  }
  stage.run = (x) => {
    const from = process.hrtime.bigint()
    const wait = inner(x)
    if (!(wait instanceof Promise)) return add(from)
    return wait.finally(() => add(from))
  }
}

const copydesk = await createCopydesk({ ...settings<Installation>(), worker: false })
await copydesk.start()
listen((req, res) => copydesk.node(req, res), {
  /** Microseconds of each stage since the last question, for one request. */
  stages: () => {
    const told = [...spent].map(([name, { ns, runs }]) => [name, runs === 0 ? 0 : Number(ns) / runs / 1_000])
    for (const total of spent.values()) Object.assign(total, { ns: 0n, runs: 0 })
    return Object.fromEntries(told)
  },
})
