import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, settings } from './answer.ts'

/**
 * Answers what the terminal asks at once and out of memory, so that what is measured is the terminal: a queue of many rows, a
 * day's feed, and a stream of events of three tenants.
 */
const { rows, newsMs } = settings<{ rows: number; newsMs: number }>()

const pageSize = 200
const id = (n: number) => `00E${String(n).padStart(23, '0')}`
const tenants = ['Hearth & Oat', 'Anvil', 'Neighbour'].map((tenantName, n) => ({
  tenantName,
  tenantId: id(n),
}))
const since = new Date(Date.now() - 3_600_000).toISOString()

const work = Array.from({ length: rows }, (_, n) => ({
  id: id(n),
  approvalId: id(n),
  activityId: null,
  type: 'content_review',
  title: `Question ${n} about a piece with a title of the usual length`,
  ...tenants[n % 3],
  agentRole: 'blog_writer',
  status: 'pending',
  riskLevel: ['high', 'medium', 'low'][n % 3],
  ageMinutes: 60,
  since,
  createdAt: since,
}))

const feed = work.slice(0, 100).map((item) => ({
  ...item,
  kind: 'approval',
  rank: 1,
  reason: 'High risk',
  subject: { kind: 'approval', id: item.id },
  actions: ['resolve'],
}))

const page = (data: unknown[]) => ({ data, pagination: { nextCursor: null, hasMore: false } })

function status() {
  const numbers = { pendingApprovals: rows / 2, runningAgents: 3, blockedActivities: 0, costMtd: 12.5 }
  // Something differs in every answer, so that there is something to draw.
  const costByDay = Array.from({ length: 14 }, () => Math.random())
  const of = {
    ...numbers,
    highRiskApprovals: 1,
    creditUsed: 1,
    creditLimit: null,
    costByDay,
    doneByDay: costByDay,
  }
  return {
    timestamp: since,
    tenants: tenants.map((tenant) => ({ ...tenant, ...of, costMtd: Math.random() * 100 })),
    totals: numbers,
    infrastructure: [{ service: 'cache', status: 'healthy', latencyMs: 1, detail: null }],
  }
}

function queue(url: URL) {
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const next = from + pageSize < rows ? String(from + pageSize) : null
  return {
    pending: work.slice(from, from + pageSize),
    running: [],
    blocked: [],
    failed: [],
    counts: { pending: rows, running: 0, blocked: 0, failed: 0 },
    pagination: { nextCursor: next, hasMore: next !== null },
  }
}

let told = 0
const watching = new Set<ServerResponse>()
setInterval(() => {
  told += 1
  const tenant = tenants[told % 3]
  const data = { approvalId: id(told), type: 'content_review', riskLevel: 'low', title: 'News', ...tenant }
  for (const response of watching)
    response.write(`id: ${told}\nevent: approval_created\ndata: ${JSON.stringify(data)}\n\n`)
}, newsMs)

function answerTo(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://bench')
  if (url.pathname.endsWith('/events/stream')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    watching.add(response)
    response.on('close', () => watching.delete(response))
    return
  }
  const body = url.pathname.endsWith('/queue')
    ? queue(url)
    : url.pathname.endsWith('/status')
      ? status()
      : page(url.pathname.endsWith('/feed') ? feed : [])
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

listen(answerTo, { told: () => told })
