import type { Completion } from '../operations/operation.ts'
import type { Known, Offer } from './completion.ts'
import type { Subject } from './screen.ts'
import type { Shell } from './shell.ts'

/** The kinds of ids that a command takes. */
const kinds: Readonly<Record<Completion, readonly Subject['kind'][]>> = {
  approval: ['approval'],
  activity: ['activity'],
  work: ['approval', 'activity'],
  feed: ['approval', 'activity'],
  tenant: ['tenant'],
  campaign: ['campaign'],
  // An agent or an activity can be paused or resumed.
  role: ['role', 'activity'],
}

/** Suggestions: items on the screens and, as soon as they are loaded, all tenants and agents. */
export function knownTo(shell: Shell): Known {
  const asked: Record<'tenant' | 'role', Offer[]> = { tenant: [], role: [] }
  // Without them there are fewer suggestions; the error is not shown.
  const ask = async () => {
    const [tenants, agents] = await Promise.all([
      shell.context.tenant
        ? { data: [shell.context.tenant] }
        : shell.client.call('cli', 'GET /tenants', { query: { limit: 100 } }),
      shell.client.call('cli', 'GET /agents'),
    ])
    asked.tenant = tenants.data.map(({ id, name }) => ({ value: id, what: name }))
    const roles = new Set(agents.data.map(({ role }) => role))
    asked.role = [...roles].map((value) => ({ value, what: 'agent' }))
    shell.changed()
  }
  void ask().catch(() => undefined)
  return (completion) => {
    const wanted = kinds[completion]
    const found = new Map<string, string>()
    for (const screen of shell.screens.toReversed())
      for (const { kind, id, title } of screen.subjects?.() ?? [])
        if (wanted.includes(kind)) found.set(id, title)
    for (const kind of ['tenant', 'role'] as const)
      if (wanted.includes(kind)) for (const { value, what } of asked[kind]) found.set(value, what)
    return Array.from(found, ([value, what]) => ({ value, what }))
  }
}
