import fc from 'fast-check'
import { describe, it } from 'vitest'
import { stories } from './commands.ts'
import { createSystem } from './system.ts'

/**
 * `COPYDESK_MODEL=long` runs 200 random histories instead of a few; `COPYDESK_MODEL_SEED` repeats those of an
 * earlier run, whose seed and shortest failing history a failure prints.
 */
const isLong = process.env['COPYDESK_MODEL'] === 'long'
const seed = process.env['COPYDESK_MODEL_SEED']
const limitMs = isLong ? 3_600_000 : 300_000

describe('activities, runs and approvals', () => {
  it(
    'follow the state model under random actions of agents and people',
    async () => {
      await fc.assert(
        fc.asyncProperty(stories({ maxCommands: 20, size: 'max' }), async (story) => {
          await using stack = new AsyncDisposableStack()
          const { model, real } = await createSystem()
          stack.use(real)
          await fc.asyncModelRun(() => ({ model, real }), story)
        }),
        {
          numRuns: isLong ? 200 : 8,
          interruptAfterTimeLimit: limitMs - 60_000,
          markInterruptAsFailure: true,
          ...(seed !== undefined && { seed: Number(seed) }),
        },
      )
    },
    limitMs,
  )
})
