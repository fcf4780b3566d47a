import type { Client } from '@copydesk/client'
import { type Paint, usd } from './show.ts'

export interface DemoSummary {
  campaignId: string
  pieces: Array<{ title: string; agent: string; status: string; versions: number; sentBack: number }>
  runs: number
  inputTokens: number
  outputTokens: number
  costUsd: number
  seconds: number
}

/** Reads the results from the server; the demo itself keeps none. */
export async function summarize(admin: Client, campaignId: string, seconds: number): Promise<DemoSummary> {
  const { data } = await admin.call('dashboard', 'GET /activities', {
    query: { 'filter.campaignId': campaignId, limit: 100, order: 'asc' },
  })
  const details = await Promise.all(
    data.map((item) =>
      admin.call('dashboard', 'GET /activities/:activityId', { params: { activityId: item.id } }),
    ),
  )
  const runs = details.flatMap((detail) => detail.runs)
  const writing = (detail: (typeof details)[number]) =>
    detail.runs.filter((run) => run.outputTokens > 0).length
  return {
    campaignId,
    pieces: details.map((detail) => ({
      title: detail.title,
      agent: detail.assignee.name,
      status: detail.status,
      versions: writing(detail),
      sentBack: Math.max(0, writing(detail) - 1),
    })),
    runs: runs.length,
    inputTokens: runs.reduce((sum, run) => sum + run.inputTokens, 0),
    outputTokens: runs.reduce((sum, run) => sum + run.outputTokens, 0),
    costUsd: data.reduce((sum, item) => sum + item.costUsd, 0),
    seconds,
  }
}

export function showSummary(summary: DemoSummary, paint: Paint): string {
  const width = Math.max(...summary.pieces.map((piece) => piece.title.length))
  const agentWidth = Math.max(...summary.pieces.map((piece) => piece.agent.length))
  const lines = summary.pieces.map(({ title, agent, status, sentBack }) => {
    const mark = status === 'done' ? paint.green('✔') : paint.yellow('•')
    const back =
      sentBack === 0 ? '' : paint.yellow(`revised ${sentBack === 1 ? 'once' : `${sentBack} times`}`)
    return `  ${mark} ${title.padEnd(width)}  ${paint.dim(agent.padEnd(agentWidth))}  ${status === 'done' ? '' : status} ${back}`.trimEnd()
  })
  const tokens = `${summary.inputTokens.toLocaleString('en')} tokens in, ${summary.outputTokens.toLocaleString('en')} out`
  return [
    `\n${paint.bold('Results')}\n`,
    ...lines,
    `\n  ${summary.runs} runs · ${tokens} · ${usd(summary.costUsd)} · ${summary.seconds.toFixed(1)} s\n`,
  ].join('\n')
}
