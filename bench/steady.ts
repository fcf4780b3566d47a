import { setTimeout as wait } from 'node:timers/promises'
import { installationIn, seed } from './installation.ts'
import { type Bench, median } from './measure.ts'
import { type MemorySample, startPacked } from './packed.ts'
import { temporaryFolder } from './processes.ts'
import { beginWork } from './steady-work.ts'

/** Hours of light work in minutes: what the packed server holds while people read and decide, and agents write. */
export const steady: Bench = {
  name: 'steady',
  long: true,
  async run({ minutes }, say) {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const seeded = await seed(installation, { approvals: 60, reviewers: 10 })
    await using server = await startPacked(installation, folder.path)
    const work = await beginWork(server.url, installation, seeded)
    const begun = performance.now()
    const each: number[] = []
    while (performance.now() - begun < minutes * 60_000) {
      await Promise.race([wait(Math.min(60_000, minutes * 60_000)), server.gone, work.failed])
      const samples = server.samples()
      each.push(median(samples.slice(-6).map(({ rss }) => rss)))
      say(`  minute ${each.length}: ${describe(samples.at(-1))}; ${work.summary()}`)
    }
    await work.finish()
    const last = each.at(-1) as number
    const before = each[Math.ceil(each.length * 0.75) - 1] as number
    return {
      'steady.memory': { value: last, unit: 'MiB in the last minute', aim: '200 MiB' },
      'steady.memory.before': { value: before, unit: 'MiB after three quarters of the time' },
      'steady.growth': { value: last - before, unit: 'MiB more in the last quarter', aim: 'flat: below 5' },
      'steady.heap': {
        value: server.samples().at(-1)?.heapUsed ?? 0,
        unit: 'MiB of the heap in use at the end',
      },
    }
  },
}

function describe(sample?: MemorySample): string {
  if (!sample) return 'no sample yet'
  const { rss, heapUsed, heapTotal, external, spaces } = sample
  const largest = Object.entries(spaces)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([name, held]) => `${name.replace('_space', '')} ${held}`)
  return `${rss} MiB: heap ${heapUsed} of ${heapTotal}, external ${external}; ${largest.join(', ')}`
}
