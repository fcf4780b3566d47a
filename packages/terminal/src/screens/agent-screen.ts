import type { Reply } from '@copydesk/client'
import { flowText, measured } from '../paper/flow.ts'
import { type Column, emptyRow, type Row, row, span, tableOf } from '../paper/row.ts'
import { ageOf, lasting, usd } from '../paper/words.ts'
import { followEvents } from './live.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'
import type { Shell } from './shell.ts'

interface Named {
  tenantId: string
  role: string
}

type Detail = Reply<'cli', 'GET /agents/:tenantId/:agentRole'>
type Run = Detail['recentRuns'][number]

/** What can be done to the agent that is looked at. */
export function agentBindings(shell: Shell, agent: () => Named | undefined): Binding[] {
  const steer = async (name: 'pause' | 'resume') => {
    const named = agent()
    if (named) await shell.run({ name, input: { target: named.role, tenant: named.tenantId } })
  }
  return [
    {
      key: 'p',
      needs: 'pause',
      label: 'pause',
      help: 'hold its work back; what is under way ends',
      run: () => steer('pause'),
    },
    { key: 'u', needs: 'resume', label: 'resume', help: 'let it go on', run: () => steer('resume') },
    {
      key: 'e',
      needs: 'resume',
      label: 'mended',
      help: 'say that what it failed of is mended',
      run: async () => {
        const named = agent()
        if (!named) return
        const params = { tenantId: named.tenantId, agentRole: named.role }
        const route = 'POST /agents/:tenantId/:agentRole/clear-error'
        const { role, tenantName, status } = await shell.client.call('cli', route, { params, body: {} })
        shell.say(`✔ ${role} of ${tenantName} is ${status}`, 'good')
        shell.screens.at(-1)?.refresh()
      },
    },
  ]
}

/** How an agent of a tenant is set up, and what it did last. */
export function agentScreen({ tenantId, role }: Named): OpenScreen {
  return (shell) => {
    let agent: Detail | undefined
    let scroll: Scroll = { top: 0 }
    let lines: Row[] = []
    const stop = new AbortController()
    const refresh = () =>
      void shell.attempt(async () => {
        agent = await shell.client.call('cli', 'GET /agents/:tenantId/:agentRole', {
          params: { tenantId, agentRole: role },
          signal: stop.signal,
        })
        shell.changed()
      })
    refresh()
    followEvents(shell, stop.signal, refresh)
    return {
      name: 'the agent',
      title: () => row(span(role, 'strong'), span(agent ? `  ${agent.tenantName}` : '', 'dim')),
      rows(size) {
        lines = agent
          ? detailRows(agent, size.width, shell.now())
          : [row(span('   Asking the server …', 'dim'))]
        return scrollRows(scroll, lines, size)
      },
      bindings: () => agentBindings(shell, () => ({ tenantId, role })),
      onKey(key, { height }) {
        scroll = scrolled(scroll, key, lines.length, height) ?? scroll
        return true
      },
      refresh,
      close: () => stop.abort(),
    }
  }
}

function runColumns(now: number): Column<Run>[] {
  return [
    { title: 'age', cell: ({ startedAt }) => ageOf(startedAt, now), align: 'right' },
    {
      title: 'run',
      cell: ({ status }) => status,
      tone: ({ status }) => (status === 'failed' ? 'bad' : status === 'running' ? 'good' : 'plain'),
    },
    {
      title: 'took',
      cell: ({ durationMs }) => (durationMs == null ? '·' : lasting(durationMs)),
      align: 'right',
    },
    { title: 'cost', cell: ({ costUsd }) => (costUsd == null ? '·' : usd(costUsd)), align: 'right' },
    { title: 'error', cell: ({ error }) => error ?? '', tone: () => 'bad', least: 10 },
  ]
}

function detailRows(agent: Detail, width: number, now: number): Row[] {
  const { adapterConfig: config, lastErrorMessage, lastErrorAt } = agent
  const facts: Array<[name: string, text: string]> = [
    ['state', `${agent.status}, ${agent.runningCount} at work, ${agent.queueDepth} waiting`],
    ['model', [agent.model, ...config.fallbackModels].join(', then ')],
    ['runs on', agent.adapterType],
    ['at once', String(agent.concurrency)],
    [
      'at most',
      agent.maxCostUsdPerActivity === undefined ? 'no cap' : `${usd(agent.maxCostUsdPerActivity)} a piece`,
    ],
    ['time', `${lasting(config.timeoutSec * 1_000)} a run, ${config.maxTurnsPerRun} turns`],
    ['tools', agent.toolNames.join(', ') || 'none'],
    ['own', agent.customFields.join(', ') || 'nothing: all as the installation has it'],
  ]
  const error = lastErrorMessage
    ? flowText(
        lastErrorMessage,
        measured(width),
        {
          first: [span('✘ ', 'bad'), span(lastErrorAt ? `${ageOf(lastErrorAt, now)} ago  ` : '', 'dim')],
          rest: [span('  ')],
        },
        'bad',
      )
    : []
  const runs = agent.recentRuns
  return [
    row(span(agent.name, 'strong')),
    ...flowText(agent.description, measured(width), undefined, 'dim'),
    ...error,
    emptyRow,
    ...facts.flatMap(([name, text]) =>
      flowText(text, width, { first: [span(name.padEnd(9), 'dim')], rest: [span(' '.repeat(9))] }),
    ),
    emptyRow,
    ...(runs.length > 0 ? tableOf(runColumns(now), runs, width) : [row(span('It has not run yet.', 'dim'))]),
  ]
}
