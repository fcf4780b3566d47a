import type { Completion } from '../operations/operation.ts'
import type { Known, Offer } from './completion.ts'
import type { Subject } from './screen.ts'
import type { Shell } from './shell.ts'

/** Which things an id may stand for, by what a command takes. */
const kinds: Readonly<Record<Completion, readonly Subject['kind'][]>> = {
  approval: ['approval'],
  activity: ['activity'],
  work: ['approval', 'activity'],
  feed: ['approval', 'activity'],
  tenant: ['tenant'],
  campaign: ['campaign'],
  // What can be paused or resumed is an agent or a piece of work.
  role: ['role', 'activity'],
}

/** What a command can name: what stands on the screens, and, as soon as they have come, all tenants and agents. */
export function knownTo(shell: Shell): Known {
  const asked: Record<'tenant' | 'role', Offer[]> = { tenant: [], role: [] }
  // Without them there is less to offer; who types is not told of it.
  const ask = async () => {
    const [tenants, agents] = await Promise.all([
      shell.desk.tenant
        ? { data: [shell.desk.tenant] }
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
