import fc from 'fast-check'
import { describe, it } from 'vitest'
import { stories } from './model-commands.ts'
import { createWorld } from './model-world.ts'

/**
 * `COPYDESK_MODEL=long` tells 200 stories instead of a few; `COPYDESK_MODEL_SEED` tells those of an earlier run again, whose
 * seed and shortest failing story a failure prints.
 */
const isLong = process.env['COPYDESK_MODEL'] === 'long'
const seed = process.env['COPYDESK_MODEL_SEED']
const limitMs = isLong ? 3_600_000 : 300_000

describe('activities, runs and approvals', () => {
  it(
    'move as the model says, whatever agents and people do in whatever order',
    async () => {
      await fc.assert(
        fc.asyncProperty(stories({ maxCommands: 20, size: 'max' }), async (story) => {
          await using stack = new AsyncDisposableStack()
          const { model, real } = await createWorld()
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
