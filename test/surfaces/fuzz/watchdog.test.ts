import { describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { createPlayer } from '../../kit/fuzz/player.ts'
import { cpuMs, createWatchdog, usualLimits } from '../../kit/fuzz/watchdog.ts'

/** What the fuzzers watch every request with sees what it is there for, and nothing else. */

const limits = { ...usualLimits, totalMs: 500 }

function spin(ms: number) {
  const start = cpuMs()
  while (cpuMs() - start < ms) for (let i = 0; i < 10_000; i += 1) Math.sqrt(i)
}

async function inTurns(turns: number, ms: number) {
  for (let i = 0; i < turns; i += 1) {
    spin(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** How an act is judged, and how often it was done. */
async function judged(act: (time: number) => unknown, allowed = limits) {
  const watchdog = await createWatchdog(allowed)
  let times = 0
  const result = await watchdog
    .watch(
      async () => act((times += 1)),
      async () => undefined,
    )
    .then(
      () => 'fine',
      (error: Error) => error.message,
    )
  return { result, times }
}

describe('the watchdog', () => {
  it('accepts a cheap request, and sends it once', async () => {
    expect(await judged(() => spin(5))).toEqual({ result: 'fine', times: 1 })
  })

  it('accepts a request that waits', async () => {
    const wait = () => new Promise((resolve) => setTimeout(resolve, 50))
    expect(await judged(wait)).toEqual({ result: 'fine', times: 1 })
  })

  it('accepts a request with many small costs', async () => {
    expect((await judged(() => inTurns(20, 10))).result).toBe('fine')
  })

  it('accepts a request that is expensive only the first time', async () => {
    expect(await judged((time) => spin(time === 1 ? 300 : 1))).toEqual({ result: 'fine', times: 2 })
  })

  it('detects a blocked event loop', async () => {
    const { result, times } = await judged(() => spin(200))
    expect(result).toMatch(/kept the server from everybody else for \d{3} ms/)
    expect(times).toBe(4)
  })

  it('detects many small blocking steps', async () => {
    expect((await judged(() => inTurns(60, 10))).result).toMatch(/took \d+ ms, where 500 are allowed/)
  })

  it('detects high memory use', async () => {
    const kept: Uint8Array[] = []
    const act = async () => {
      // Memory that earlier work has left to the process is used up first, and is no growth.
      const before = process.memoryUsage.rss()
      for (let i = 0; i < 1_000 && process.memoryUsage.rss() < before + (150 << 20); i += 1) {
        kept.push(new Uint8Array(1 << 20).fill(i))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    // New pages take a slow machine longer than the processor time that the other tests allow.
    expect((await judged(act, usualLimits)).result).toMatch(
      /took \d+ MiB of memory, where 100 MiB are allowed/,
    )
    expect(kept.length).toBeGreaterThan(0)
  })
})

describe('the fuzzer', () => {
  const info = describeSurfaces().find(({ id }) => id === 'admin.cost')

  it('reports the seed and a minimal request that never ends, and continues', {
    timeout: 300_000,
  }, async () => {
    if (!info) throw new Error('There is no admin.cost')
    await using player = await createPlayer('endless', { limits, mostSteps: 3 })
    const played = player.play(info, { seed: 7, numRuns: 100 })
    await expect(played).rejects.toThrow(
      /was cut off after \d+ ms of CPU[^]*seed: 7, path: "\d+[^]*GET \/admin\/v1\/cost\?[^]*startDate=/,
    )
    const other = describeSurfaces().find(({ id }) => id === 'admin.tenants.list')
    if (!other) throw new Error('There is no admin.tenants.list')
    expect(await player.play(other, { seed: 7, numRuns: 3 })).toEqual([200, 200, 200])
  })
})
