import type { Ctx } from '../../../kernel/context.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { count, select, table } from '../../../platform/database/read.ts'
import type { Embedder } from '../../../platform/embeddings/port.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { modelKey, modelPrefix } from '../search/vectors.ts'
import { ingestJob } from './jobs.ts'

const f = table(KnowledgeFile, 'f')
const outdated = select({ id: f.id })
const jobs = select({ jobs: count('count(*)') })

/** After how long a file is tried again whose last ingestion has failed, ms: its provider may be away. */
const failedForMs = 3_600_000

/** How many ingestions wait or are running, over all tenants. */
export async function countAtWork(ctx: Ctx): Promise<number> {
  const row = await jobs.get(
    ctx.sql,
    `from job j where j.kind = '${ingestJob.kind}' and j.status in ('waiting', 'running')`,
  )
  return row?.jobs ?? 0
}

/**
 * Files that are searched, and have no vectors or some of another model than the configured one; also those that are not enabled, which may be
 * at any time.
 * @param options `id` looks at this one only
 */
export async function filesToEmbed(ctx: Ctx, options: { id?: string; most: number }): Promise<string[]> {
  const { embedder } = ctx.services
  if (!embedder) return []
  const condition = where(
    within(ctx.scope, 'f.tenant_id'),
    equals(f.id, options.id),
    {
      sql: "f.version > 0 and f.chunks_count > 0 and (f.status = 'indexed' or (f.status = 'error' and f.awaits_money = false and f.updated_on <= ?))",
      params: [new Date(ctx.clock.now() - failedForMs)],
    },
    ofOthers(embedder),
  )
  const rows = await outdated.all(ctx.sql, `from ${f} where ${condition.sql} order by f.id limit ?`, [
    ...condition.params,
    options.most,
  ])
  return rows.map(({ id }) => id)
}

const owner = select({ tenantId: f.tenantId })

/** Tenants that have files which wait for money. */
export async function tenantsWithoutMoney(ctx: Ctx): Promise<string[]> {
  const scope = within(ctx.scope, 'f.tenant_id')
  const rows = await owner.all(
    ctx.sql,
    `from ${f} where f.awaits_money = true and ${scope.sql} group by f.tenant_id order by f.tenant_id`,
    scope.params,
  )
  return rows.map(({ tenantId }) => tenantId)
}

/** Files of a tenant that wait for money, the oldest first. */
export async function filesWithoutMoney(ctx: Ctx, tenantId: string, most: number): Promise<string[]> {
  const rows = await outdated.all(
    ctx.sql,
    `from ${f} where f.awaits_money = true and f.tenant_id = ? and f.status = 'error' order by f.id limit ?`,
    [tenantId, most],
  )
  return rows.map(({ id }) => id)
}

/** Of how many dimensions its vectors are is not known before the first answer, unless the configuration says it. */
function ofOthers({ provider, model, dimensions }: Embedder): Condition {
  if (dimensions !== undefined)
    return { sql: '(f.model is null or f.model <> ?)', params: [modelKey(provider, model, dimensions)] }
  const prefix = modelPrefix(provider, model)
  return { sql: '(f.model is null or substr(f.model, 1, ?) <> ?)', params: [prefix.length, prefix] }
}
