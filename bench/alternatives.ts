import { compareDbos } from './alternatives-dbos.ts'
import { compareDirectus } from './alternatives-directus.ts'
import { NotInstalled } from './alternatives-install.ts'
import { type Bench, type Metrics } from './measure.ts'

/**
 * What a team may use instead, each with its own defaults: a headless CMS whose items have a status, and a workflow engine whose
 * workflows wait for a person. Those that cannot be installed here are left out.
 */
export const alternatives: Bench = {
  name: 'alternatives',
  long: true,
  async run(_size, say) {
    const metrics: Metrics = {}
    for (const [name, compare] of Object.entries({ directus: compareDirectus, dbos: compareDbos }))
      try {
        Object.assign(metrics, await compare())
      } catch (error) {
        if (!(error instanceof NotInstalled)) throw error
        say(`  ${name} is left out: ${error.message}`)
      }
    return metrics
  },
}
