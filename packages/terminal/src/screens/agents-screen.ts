import { type AgentState, agentColumns } from '../operations/agents.ts'
import { mayRunNamed } from '../operations/catalogue.ts'
import { type Column, row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { agentBindings, agentScreen } from './agent-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'
import type { Shell } from './shell.ts'

/** An agent of one tenant, with the number of its dead letters. */
interface Worker extends AgentState {
  /** Id in the list: tenant and role. */
  id: string
  dead: number
}

const columns: ReadonlyArray<Column<Worker>> = agentColumns.flatMap((column): Column<Worker>[] =>
  column.title === 'waiting'
    ? [
        column,
        {
          title: 'dead',
          cell: ({ dead }) => String(dead),
          align: 'right',
          tone: ({ dead }) => (dead > 0 ? 'bad' : 'dim'),
        },
      ]
    : [column],
)

/** The agents of all tenants with their queues, those in error or paused first. */
export const agentsScreen: OpenScreen = (shell) => {
  let list: List<Worker> = listOf<Worker>([])
  let loaded = false
  const stop = new AbortController()

  const refresh = () =>
    void shell.attempt(async () => {
      const query = shell.tenantId === undefined ? {} : { tenantId: shell.tenantId }
      const input = { query, signal: stop.signal }
      const [agents, queues] = await Promise.all([
        shell.client.call('cli', 'GET /agents', input),
        mayRunNamed(shell.context, 'queues')
          ? shell.client.call('cli', 'GET /agents/queues', input)
          : { data: [] },
      ])
      const dead = new Map(
        queues.data.map((each) => [`${each.tenantId} ${each.agentRole}`, each.deadLettered]),
      )
      const workers = agents.data.map((agent) => ({
        ...agent,
        id: `${agent.tenantId} ${agent.role}`,
        dead: dead.get(`${agent.tenantId} ${agent.role}`) ?? 0,
      }))
      list = replaced(
        list,
        workers.toSorted((a, b) => rankOf(a) - rankOf(b)),
      )
      loaded = true
      shell.changed()
    })

  refresh()
  followEvents(shell, stop.signal, refresh)
  return {
    name: 'agents',
    title() {
      // Counted only after the response has arrived.
      if (!loaded) return row(span('agents', 'strong'))
      const of = (status: AgentState['status']) => list.items.filter((each) => each.status === status).length
      return row(
        span(counted(list.items.length, 'agent'), 'strong'),
        span(`  ${of('running')} running`, 'dim'),
        span(of('error') > 0 ? ` · ${of('error')} in error` : '', 'bad'),
        span(of('paused') > 0 ? ` · ${of('paused')} paused` : '', 'warn'),
      )
    },
    rows: ({ width, height }) =>
      listRows(list, columnsFor(shell), {
        width,
        height,
        empty: loaded ? 'No agents.' : 'Loading …',
      }),
    bindings: () => [
      {
        key: 'enter',
        needs: 'queues',
        label: 'open',
        help: 'its settings, and its latest runs',
        run: () => {
          const agent = current(list)
          if (agent) shell.open(agentScreen(agent))
        },
      },
      ...agentBindings(shell, () => current(list)),
    ],
    onKey(key, { height }) {
      list = moved(list, key, height) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}

/** Without the columns for staff, and without the tenant's column for users of one tenant. */
function columnsFor({ context }: Shell): ReadonlyArray<Column<Worker>> {
  const untold = new Set(context.tenant ? ['tenant', 'waiting', 'dead'] : [])
  return columns.filter(({ title }) => !untold.has(title))
}

/** Agents in error first, then paused ones; otherwise in the order of the server. */
function rankOf({ status, dead }: Worker): number {
  return status === 'error' ? 0 : dead > 0 ? 1 : status === 'paused' ? 2 : status === 'running' ? 3 : 4
}
