import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import type { ActivityRow } from '../activities/entities.ts'
import type { RunRow } from '../runs/entities.ts'
import { lockRunAtWork } from '../runs/lifecycle/authorize-run.ts'
import { ActivitySource } from './entities.ts'
import type { FoundSource } from './ports.ts'
import type { KnowledgeAnswer, KnowledgeQuestion, WebAddress, WebPage } from './schemas.ts'

export const knowledgeSearchTool = 'knowledge_search'

/** The tool that agents have only where someone gave it to them: it asks servers that anyone may run. */
export const webReadTool = 'web_read'

/** More than this many an activity does not keep. */
const mostSources = 200

/**
 * Searches the datasets that the agent of a run may search; what is found is kept as sources of its piece. Serves
 * `POST /agent/v1/runs/:runId/actions/knowledge-search`.
 * @throws DomainError as every act of a run; `UNPROCESSABLE` when the activity has 200 sources
 */
export async function searchForRun(
  ctx: Ctx,
  runId: string,
  { query, topK }: KnowledgeQuestion,
): Promise<KnowledgeAnswer> {
  const { tenantId, agentRole } = await transact(ctx, async (txn) => (await lockRunAtWork(txn, runId)).run)
  const found = await ctx.services.tenantKnowledge.search(ctx, { tenantId, agentRole, query, topK })
  const numbers = await keep(ctx, runId, found)
  return { results: found.map((each, at) => ({ ...given(each, numbers[at]), score: each.score })) }
}

/**
 * Reads the main text of one public page, which is kept as a source of the piece. Serves
 * `POST /agent/v1/runs/:runId/actions/web-read`.
 * @throws DomainError as every act of a run; `FORBIDDEN` unless the agent has the tool `web_read`; `UNPROCESSABLE` when the page
 *   cannot be read, or the activity has 200 sources
 */
export async function readPageForRun(ctx: Ctx, runId: string, { url }: WebAddress): Promise<WebPage> {
  const { tenantId } = await transact(ctx, async (txn) => {
    const { run } = await lockRunAtWork(txn, runId)
    await requireWebRead(txn, run)
    return run
  })
  const page = await ctx.services.tenantKnowledge.readPage(ctx, { tenantId, url })
  const [n] = await keep(ctx, runId, [page])
  return { ...given(page, n), url: page.url, truncated: page.truncated }
}

async function requireWebRead(txn: Transaction, run: RunRow): Promise<void> {
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  if (agent?.toolNames.includes(webReadTool)) return
  throw new DomainError(
    'FORBIDDEN',
    `This agent may not read the web: it does not have the tool ${webReadTool}`,
  )
}

/** @returns the numbers of the sources, in their order */
function keep(ctx: Ctx, runId: string, found: readonly FoundSource[]): Promise<number[]> {
  if (found.length === 0) return Promise.resolve([])
  return transact(ctx, async (txn) => {
    // It may have ended while it was searched for.
    const { run, activity } = await lockRunAtWork(txn, runId)
    const known = await txn.em.find(ActivitySource, { activityId: activity.id })
    const numbers = new Map(known.map(({ sha256, n }) => [sha256, n]))
    let last = await lastNumber(txn, activity)
    return found.map((each) => {
      const sha256 = sha256Hex([each.url ?? each.fileId, each.heading, each.text].join('\n'))
      const seen = numbers.get(sha256)
      if (seen !== undefined) return seen
      if (numbers.size >= mostSources)
        throw new DomainError('UNPROCESSABLE', `An activity keeps ${mostSources} sources at most`)
      last += 1
      numbers.set(sha256, last)
      txn.em.create(ActivitySource, {
        id: txn.newId(),
        tenantId: run.tenantId,
        activityId: activity.id,
        runId,
        n: last,
        sha256,
        ...pick(each),
        createdOn: txn.clock.date(),
      })
      return last
    })
  })
}

const pick = (found: FoundSource) => ({
  kind: found.kind,
  title: found.title,
  text: found.text,
  chunkId: found.chunkId ?? null,
  fileId: found.fileId ?? null,
  datasetId: found.datasetId ?? null,
  heading: found.heading ?? null,
  page: found.page ?? null,
  url: found.url ?? null,
})

/** Goes on after the steps before it, whose text names their numbers. */
async function lastNumber(txn: Transaction, { id, dependsOn }: ActivityRow): Promise<number> {
  const [last] = await txn.em.find(
    ActivitySource,
    { activityId: { $in: [id, ...dependsOn] } },
    { orderBy: { n: 'desc' }, limit: 1 },
  )
  return last?.n ?? 0
}

function given({ title, text, heading, page, url }: FoundSource, n = 0) {
  return {
    n,
    title,
    text,
    ...(heading && { heading }),
    ...(page && { page }),
    ...(url && { url }),
  }
}
