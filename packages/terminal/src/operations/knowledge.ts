import { ApiError, type Client, type Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, columnsFitting, emptyRow, row, span, type Tone, tableOf } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { exitCodes, Failure } from '../shell/failure.ts'
import { UsageError } from './invocation.ts'
import { operation } from './operation.ts'
import { ofTenant, onlyTenant } from './paging.ts'

export type ListedDataset = Reply<'cli', 'GET /kb'>['data'][number]
type NamedDataset = Pick<ListedDataset, 'id' | 'name'>
export type KnowledgeFile = Reply<'tenant', 'GET /knowledge/datasets/:datasetId'>['files'][number]

const datasetTones: Readonly<Record<ListedDataset['status'], Tone>> = {
  active: 'good',
  building: 'warn',
  error: 'bad',
}
const fileTones: Readonly<Record<KnowledgeFile['status'], Tone>> = {
  pending: 'dim',
  parsing: 'warn',
  embedding: 'warn',
  indexed: 'good',
  error: 'bad',
  disabled: 'dim',
}

export const datasetColumns: ReadonlyArray<Column<ListedDataset>> = [
  { title: 'tenant', cell: ({ tenantName }) => tenantName, least: 8, enough: 14 },
  { title: 'dataset', cell: ({ name }) => name, tone: () => 'accent', least: 12, enough: 24 },
  { title: 'files', cell: ({ totalFiles }) => String(totalFiles), align: 'right' },
  { title: 'chunks', cell: ({ totalChunks }) => String(totalChunks), align: 'right' },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => datasetTones[status] },
]

/** The tenant of an operation that concerns one; needless for users of one tenant. */
export const neededTenant = {
  ...onlyTenant,
  required: true,
  summary: `the tenant: ${tenantNaming}; not needed when you have only one`,
} as const

/** The same where the terminal, which has a tenant of its own, may add it after the line was read. */
export const impliedTenant = { ...onlyTenant, summary: neededTenant.summary } as const

/** @throws UsageError when no tenant was named, and none was implied */
export function tenantOf(operationName: string, tenant: string | undefined): string {
  if (tenant === undefined) throw new UsageError(`${operationName} needs --tenant`, 'tenant')
  return tenant
}

export const kbList = operation({
  name: 'kb list',
  summary: 'list the datasets of your tenants with the number of their files',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: { tenant: onlyTenant },
  examples: ['kb list', 'kb list --json=tenantName,name,totalFiles'],
  run: (context, { tenant }) => context.client.call('cli', 'GET /kb', { query: ofTenant(tenant) }),
  print: ({ data }, { width }) =>
    data.length === 0
      ? [row(span('No datasets.', 'dim'))]
      : tableOf(columnsFitting(datasetColumns, data, width), data, width),
})

export const fileColumns: ReadonlyArray<Column<KnowledgeFile>> = [
  { title: 'file', cell: ({ fileName }) => fileName, least: 12, enough: 24 },
  { title: 'kind', cell: ({ mimeType }) => kindOf(mimeType), tone: () => 'dim', least: 4, rank: 3 },
  { title: 'size', cell: ({ fileSizeBytes }) => sizeOf(fileSizeBytes), align: 'right', rank: 2 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => fileTones[status] },
  { title: 'chunks', cell: ({ chunksCount }) => String(chunksCount), align: 'right', rank: 1 },
  {
    title: 'error',
    cell: ({ errorMessage }) => errorMessage ?? '',
    tone: () => 'bad',
    least: 10,
    enough: 24,
  },
]

export const kbFiles = operation({
  name: 'kb files',
  summary: 'list the files of a dataset, or of all datasets of a tenant; needs a login with a password',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  needsLogin: true,
  params: {
    dataset: { kind: 'argument', required: false, summary: 'name or id of a dataset (default: all)' },
    tenant: impliedTenant,
  },
  needsTenant: () => true,
  examples: ['kb files', 'kb files client-documents --tenant rye.example'],
  run: async ({ client }, { dataset, tenant: named }) => {
    const tenant = tenantOf('kb files', named)
    const found = await datasetsNamed(client, tenant, dataset === undefined ? undefined : [dataset])
    return Promise.all(
      found.map(({ id }) =>
        client.call('tenant', 'GET /knowledge/datasets/:datasetId', {
          params: { datasetId: id },
          ...tenantHeader(tenant),
        }),
      ),
    )
  },
  print: (datasets, { width }) =>
    datasets.flatMap(({ name, totalFiles, files }, index) => [
      ...(index === 0 ? [] : [emptyRow]),
      row(span(name, 'strong'), span(`  ${counted(totalFiles, 'file')}`, 'dim')),
      ...(files.length === 0 ? [] : tableOf(columnsFitting(fileColumns, files, width), files, width)),
      ...(files.length < totalFiles ? [row(span(`Only the newest ${files.length} are shown.`, 'dim'))] : []),
    ]),
})

/** The header that names the tenant of a request. */
export const tenantHeader = (tenant: string) => ({ headers: { 'x-tenant-id': tenant } })

/**
 * The datasets of a tenant that are called one of these: by id, by name, or by the name that uploads use.
 * @param names absent: all datasets
 * @throws UsageError for an unknown name; Failure for an API key or a super-admin, which the server does not accept here
 */
export async function datasetsNamed(
  client: Client,
  tenant: string,
  names: readonly string[] | undefined,
): Promise<readonly NamedDataset[]> {
  const { data } = await client
    .call('tenant', 'GET /knowledge/datasets', tenantHeader(tenant))
    .catch((error: unknown) => {
      throw error instanceof ApiError && [401, 403].includes(error.status) ? notForCaller(error) : error
    })
  if (!names) return data
  const found = names.map((name) => datasetNamed(name, data))
  return data.filter((each) => found.includes(each))
}

function notForCaller(cause: ApiError): Failure {
  return new Failure(
    `${cause.message}. Only the reviewers and the users of the tenant see its files, after a login with a password: copydesk login --email you@example.com`,
    { exitCode: exitCodes.forbidden, cause },
  )
}

function datasetNamed<T extends NamedDataset>(given: string, all: readonly T[]): T {
  const wanted = slugOf(given)
  const exact = all.find(({ id, name }) => id === given.toUpperCase() || slugOf(name) === wanted)
  // `website-content` is the dataset “Website”.
  const alike = all.filter(({ name }) => wanted.startsWith(`${slugOf(name)}-`))
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined)
  if (found) return found
  const known = all.map(({ name }) => name).join(', ')
  throw new UsageError(`There is no dataset ${given}; there are: ${known}`, 'dataset')
}

const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')

const kinds: ReadonlyArray<readonly [ending: string, kind: string]> = [
  ['wordprocessingml.document', 'docx'],
  ['spreadsheetml.sheet', 'xlsx'],
  ['presentationml.presentation', 'pptx'],
]

/** A media type in short: `pdf`, `markdown`, `docx`. */
export function kindOf(mimeType: string): string {
  const known = kinds.find(([ending]) => mimeType.endsWith(ending))
  return known?.[1] ?? mimeType.replace(/^[^/]*\//, '')
}

/** As the limits of the server count: 1 MB is 2²⁰ bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} B`
  return bytes < 2 ** 20 ? `${Math.round(bytes / 2 ** 10)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`
}
