import { describe, expect, it } from 'vitest'
import { createRecurringHarness, run, template } from './recurring-harness.ts'

const minute = 60_000

describe('recurring templates where the clocks change', () => {
  /** The instants at which it is given out, looked for every half hour. */
  async function instants(cron: string, from: string, to: string): Promise<string[]> {
    await using harness = await createRecurringHarness(from)
    await harness.tenantIn('Europe/Berlin', 'One')
    await harness.system.recurring.create(template({ cron }))
    const found: string[] = []
    let known = 0
    while (harness.clock.now() < Date.parse(to)) {
      await harness.goTo(new Date(harness.clock.now() + 30 * minute).toISOString())
      const open = harness.app.db.dialect === 'sqlite' ? '0' : 'false'
      const count = await harness.count()
      if (count > known) {
        found.push(harness.clock.date().toISOString().slice(5, 16))
        await run(harness.app, `update runs set open = ?, status = 'completed'`, open)
      }
      known = count
    }
    return found
  }

  it('forward: a time in the gap is due at its end, on that day only', async () => {
    expect(await instants('30 2 * * *', '2026-03-27T22:00:00Z', '2026-03-30T04:00:00Z')).toEqual([
      '03-28T01:30',
      '03-29T01:00',
      '03-30T00:30',
    ])
  })

  it('back: a fixed time is due once, every hour is due each hour', async () => {
    expect(await instants('30 2 * * *', '2026-10-24T22:00:00Z', '2026-10-26T04:00:00Z')).toEqual([
      '10-25T00:30',
      '10-26T01:30',
    ])
    expect(await instants('0 * * * *', '2026-10-24T22:30:00Z', '2026-10-25T03:30:00Z')).toEqual([
      '10-24T23:00',
      '10-25T00:00',
      '10-25T01:00',
      '10-25T02:00',
      '10-25T03:00',
    ])
  })
})
