import type { Ctx } from '../../../kernel/context.ts'
import { type DomainError, notFound } from '../../../kernel/errors.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { count, exists, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { ingestJob } from '../ingestion/jobs.ts'
import { Dataset, KnowledgeFile } from './entities.ts'
import type {
  DatasetDetail,
  DatasetList,
  DatasetSummary,
  FileProgress,
  KnowledgeFileItem,
  ReviewerDatasetList,
} from './schemas.ts'

const d = table(Dataset, 'd')
const f = table(KnowledgeFile, 'f')
const t = table(Tenant, 't')

const ofFiles = (what: string, condition = '1 = 1') =>
  `(select ${what} from knowledge_files f where f.dataset_id = d.id and ${condition})`

/** Not true of a file that waits until it is ingested by hand: it has no job. */
const atWork = `(f.status in ('parsing', 'embedding') or (f.status = 'pending' and exists (
  select 1 from job j where j.unique_key = '${ingestJob.kind}:' || f.id and j.status in ('waiting', 'running'))))`

const summary = {
  ...pick(d, 'id', 'tenantId', 'name', 'description', 'allowedAgentRoles', 'createdOn'),
  totalFiles: count(ofFiles('count(*)')),
  totalChunks: count(ofFiles('coalesce(sum(f.chunks_count), 0)')),
  building: count(ofFiles('count(*)', atWork)),
  failed: count(ofFiles('count(*)', "f.status = 'error'")),
}
const listed = select({ ...summary, tenantName: t.name })
const detailed = select({
  ...summary,
  ...pick(d, 'chunkSize', 'chunkOverlap', 'parseType', 'parserEngine'),
})
const from = `from ${d} join ${t} on t.id = d.tenant_id`

type Summary = Omit<RowOf<typeof listed>, 'tenantName'>

/** The datasets of the context's tenant. Serves `GET …/knowledge-base/datasets`. */
export async function listDatasets(ctx: Ctx): Promise<DatasetList> {
  const rows = await rowsOf(ctx, equals(d.tenantId, oneTenant(ctx)))
  const roles = await rolesOf(ctx)
  return { data: rows.map((row) => toSummary(ctx, row, roles)) }
}

/** The datasets of all tenants of the context, or of one of them. Serves `GET /dm/v1/kb`. */
export async function listDatasetsForReview(ctx: Ctx): Promise<ReviewerDatasetList> {
  const rows = await rowsOf(ctx)
  const roles = await rolesOf(ctx)
  return {
    data: rows.map((row) => ({
      ...toSummary(ctx, row, roles),
      tenantId: row.tenantId,
      tenantName: row.tenantName,
    })),
  }
}

function rowsOf(ctx: Ctx, ...conditions: ReturnType<typeof equals>[]) {
  const condition = where(within(ctx.scope, 'd.tenant_id'), ...conditions)
  return listed.all(
    ctx.sql,
    `${from} where ${condition.sql} order by t.name, d.tenant_id, d.created_on, d.id`,
    condition.params,
  )
}

/** How many files a detail shows. */
const mostShown = 1_000

const item = select(
  pick(
    f,
    'id',
    'fileName',
    'mimeType',
    'fileSizeBytes',
    'status',
    'chunksCount',
    'source',
    'enabled',
    'errorMessage',
    'createdOn',
  ),
)
type FileRow = RowOf<typeof item>

/** Serves `GET …/knowledge-base/datasets/:datasetId`. @throws DomainError `NOT_FOUND` */
export async function getDataset(ctx: Ctx, id: string): Promise<DatasetDetail> {
  const condition = where(within(ctx.scope, 'd.tenant_id'), equals(d.id, id))
  const row = await detailed.get(ctx.sql, `from ${d} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('dataset')
  const files = await item.all(
    ctx.sql,
    `from ${f} where f.dataset_id = ? and f.tenant_id = ? order by f.id desc limit ${mostShown}`,
    [id, row.tenantId],
  )
  const { embedder } = ctx.services
  return {
    ...toSummary(ctx, row, await rolesOf(ctx)),
    ...pick(row, 'chunkSize', 'chunkOverlap', 'parseType', 'parserEngine'),
    embeddingProvider: embedder?.provider ?? null,
    vectorSize: embedder?.dimensions ?? null,
    vectorCollection: `knowledge_${id.toLowerCase()}`,
    files: files.map(toFile),
  }
}

/** One file of a dataset. @throws DomainError `NOT_FOUND` */
export async function getFile(ctx: Ctx, datasetId: string, id: string): Promise<KnowledgeFileItem> {
  return toFile(await find(ctx, item, datasetId, id))
}

const progress = select({
  fileId: f.id,
  ...pick(f, 'status', 'enabled', 'progress', 'chunksCount', 'errorMessage'),
})

/** Serves `GET …/files/:fileId/status`. @throws DomainError `NOT_FOUND` */
export async function fileProgress(ctx: Ctx, datasetId: string, id: string): Promise<FileProgress> {
  const { enabled, ...row } = await find(ctx, progress, datasetId, id)
  return { ...row, status: enabled ? row.status : 'disabled' }
}

async function find<R>(
  ctx: Ctx,
  selection: { get(sql: Ctx['sql'], rest: string, params: never[]): Promise<R | undefined> },
  datasetId: string,
  id: string,
): Promise<R> {
  const condition = where(within(ctx.scope, 'f.tenant_id'), equals(f.datasetId, datasetId), equals(f.id, id))
  const row = await selection.get(ctx.sql, `from ${f} where ${condition.sql}`, condition.params as never[])
  if (!row) throw await notFoundIn(ctx, datasetId, 'file')
  return row
}

/** What is missing of something that belongs to a dataset: the dataset, or what is looked for in it. */
export async function notFoundIn(ctx: Ctx, datasetId: string, what: string): Promise<DomainError> {
  const condition = where(within(ctx.scope, 'd.tenant_id'), equals(d.id, datasetId))
  return notFound(
    (await exists(ctx.sql, `from ${d} where ${condition.sql}`, condition.params)) ? what : 'dataset',
  )
}

const role = select({ tenantId: text('a.tenant_id'), role: text('a.role') })

/** The roles that each tenant of the context has, for datasets that all of them may search. */
async function rolesOf(ctx: Ctx): Promise<Map<string, string[]>> {
  const condition = within(ctx.scope, 'a.tenant_id')
  const rows = await role.all(
    ctx.sql,
    `from tenant_agents a where ${condition.sql} and a.status <> 'terminated' order by a.role`,
    condition.params,
  )
  return new Map(
    Map.groupBy(rows, ({ tenantId }) => tenantId)
      .entries()
      .map(([tenantId, found]) => [tenantId, found.map((each) => each.role)]),
  )
}

function toSummary(
  { services: { embedder } }: Ctx,
  { building, failed, allowedAgentRoles, tenantId, ...row }: Summary,
  roles: ReadonlyMap<string, string[]>,
): DatasetSummary {
  const hasFailed = failed > 0 && failed === row.totalFiles
  return {
    ...pick(row, 'id', 'name', 'description', 'totalFiles', 'totalChunks', 'createdOn'),
    status: building > 0 ? 'building' : hasFailed ? 'error' : 'active',
    embeddingModel: embedder?.model ?? null,
    allowedAgentRoles: allowedAgentRoles ?? roles.get(tenantId) ?? [],
  }
}

function toFile({ status, ...row }: FileRow): KnowledgeFileItem {
  return { ...row, status: row.enabled ? status : 'disabled' }
}
