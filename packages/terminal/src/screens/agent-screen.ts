import type { Reply } from '@copydesk/client'
import { type Fact, factRows } from '../render/facts.ts'
import { flowText, measured } from '../render/flow.ts'
import { type Column, emptyRow, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { ageOf, lasting, usd } from '../render/words.ts'
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

/** What can be done to the selected agent. */
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
      help: 'pause it; current runs finish first',
      run: () => steer('pause'),
    },
    { key: 'u', needs: 'resume', label: 'resume', help: 'resume it', run: () => steer('resume') },
    {
      key: 'e',
      needs: 'resume',
      label: 'fixed',
      help: 'report that the cause of its error is fixed',
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

/** The settings of a tenant's agent, and its latest runs. */
export function agentScreen({ tenantId, role }: Named): OpenScreen {
  return (shell) => {
    let agent: Detail | undefined
    let scroll: Scroll = { top: 0 }
    let lines: StyledLine[] = []
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
        lines = agent ? detailRows(agent, size.width, shell.now()) : [row(span('   Loading …', 'dim'))]
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

function detailRows(agent: Detail, width: number, now: number): StyledLine[] {
  const { adapterConfig: config, lastErrorMessage, lastErrorAt } = agent
  const facts: Fact[] = [
    ['state', `${agent.status}, ${agent.runningCount} in progress, ${agent.queueDepth} queued`],
    ['model', [agent.model, ...config.fallbackModels].join(', then ')],
    ['runtime', agent.adapterType],
    ['at once', String(agent.concurrency)],
    [
      'at most',
      agent.maxCostUsdPerActivity === undefined
        ? 'no cap'
        : `${usd(agent.maxCostUsdPerActivity)} per activity`,
    ],
    ['time', `${lasting(config.timeoutSec * 1_000)} per run, ${config.maxTurnsPerRun} turns`],
    ['tools', agent.toolNames.join(', ') || 'none'],
    ['own', agent.customFields.join(', ') || 'no changes: all settings of the default agent'],
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
    ...factRows(facts, width),
    emptyRow,
    ...(runs.length > 0
      ? tableOf(runColumns(now), runs, width)
      : [row(span('There are no runs yet.', 'dim'))]),
  ]
}
