import { createCopydesk } from '@copydesk/core'
import { localAdapter } from '../../packages/core/src/domain/work/runs/adapters/local.ts'
import { deliver } from '../../packages/core/src/domain/work/runs/lifecycle/result.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import type { Installation } from '../installation.ts'
import { clockText, type Pace } from '../pace.ts'
import { listen, settings } from './answer.ts'

/** A whole instance whose agents wait for a word and then write the time, at a given pace, for all who watch. */
const { pace, ...installation } = settings<Installation & { pace: Pace }>()
const gate = Promise.withResolvers<void>()
let atWork = 0

localAdapter.start = async (ctx, dispatch) => {
  atWork += 1
  await gate.promise
  let text = ''
  for (let i = 0; i < pace.deltas; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, pace.everyMs))
    const delta = clockText()
    ctx.services.deltas.push(dispatch, delta)
    text += delta
  }
  await deliver(ctx, dispatch.runId, { status: 'success', text })
  return 'finished'
}

const copydesk = await createCopydesk({
  ...installation,
  log: silentLogger,
  worker: { concurrency: pace.runs },
})
await copydesk.start()
listen((req, res) => copydesk.node(req, res), {
  atWork: () => atWork,
  go: () => {
    gate.resolve()
    return true
  },
})
