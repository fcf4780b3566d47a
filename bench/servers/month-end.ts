import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { billDuePeriods } from '../../packages/core/src/domain/accounts/billing/periods/run.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import type { Installation } from '../installation.ts'
import { answer, settings } from './answer.ts'

/** A process that bills the periods that have ended, once it is asked to. */
const assembled = await assemble({ ...settings<Installation>(), log: silentLogger })

answer({
  /** Milliseconds, and the most bytes that were held in the first and in the last quarter of that time. */
  bill: async () => {
    const held: number[] = []
    const timer = setInterval(() => held.push(process.memoryUsage.rss()), 50)
    const begun = performance.now()
    await billDuePeriods(assembled.system(), {})
    const ms = performance.now() - begun
    clearInterval(timer)
    held.push(process.memoryUsage.rss())
    const quarter = Math.max(1, held.length >> 2)
    return { ms, first: Math.max(...held.slice(0, quarter)), last: Math.max(...held.slice(-quarter)) }
  },
})
process.send?.({ port: 0 })
