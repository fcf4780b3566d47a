import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { type Bree, createBree } from '../../packages/core/src/platform/threads/bree.ts'

function openBree(): Bree & AsyncDisposable {
  const bree = createBree({ log: silentLogger })
  return { ...bree, [Symbol.asyncDispose]: bree.stop }
}

/** Resolves when a calendar has named each of some entries so often. */
function instants(wanted: Record<string, number>) {
  const seen: Record<string, number> = {}
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    seen,
    all: promise,
    note(name: string) {
      seen[name] = (seen[name] ?? 0) + 1
      if (Object.entries(wanted).every(([one, count]) => (seen[one] ?? 0) >= count)) resolve()
    },
  }
}

describe('the schedule of Bree', () => {
  it('emits what is due at each instant, until it is stopped', async () => {
    await using stopped = openBree()
    const before = instants({ second: 2, other: 1 })
    await stopped.schedule(
      [
        { name: 'second', cron: '* * * * * *' },
        { name: 'other', cron: '*/1 * * * * *' },
        { name: 'never', cron: '0 0 30 2 *' },
      ],
      before.note,
    )
    await before.all
    await stopped.stop()
    const once = { ...before.seen }
    expect(once).not.toHaveProperty('never')
    // Two seconds of another calendar: the first one has had its chance to go on.
    await using going = openBree()
    const after = instants({ second: 2 })
    await going.schedule([{ name: 'second', cron: '* * * * * *' }], after.note)
    await after.all
    expect(before.seen).toEqual(once)
  })

  it('rejects invalid cron expressions', async () => {
    await using bree = openBree()
    await expect(bree.schedule([{ name: 'odd', cron: '61 * * * *' }], () => undefined)).rejects.toThrow('odd')
  })
})
