import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Copydesk, createCopydesk, createLogger, type Logger } from '@copydesk/core'
import type { TemporaryKnowledge } from '@copydesk/terminal/commands'
import { Failure } from '@copydesk/terminal/failure'
import type { Command } from 'commander'
import { hostsOfEmbeddings, toEmbeddings } from '../config/embeddings.ts'
import { hostsOfRerank, toRerank } from '../config/rerank.ts'
import type { Config } from '../config/schema.ts'
import { keepWebAssemblyCode } from '../webassembly.ts'
import { prepare } from './options.ts'

/** Files of one upload. */
const batchSize = 20
/** The most results of one search; several may be of one document. */
const mostResults = 20
const lookMs = 200

type Document = Parameters<TemporaryKnowledge['add']>[0][number]

/**
 * A knowledge base in an installation of its own, with the embeddings and the rerank model of the configuration.
 * @param database URL of an empty database; absent: a file of SQLite
 */
export async function temporaryKnowledge(
  command: Command,
  database: string | undefined,
): Promise<TemporaryKnowledge & AsyncDisposable> {
  const { config } = prepare(command)
  const acts: Array<() => unknown> = []
  try {
    return await make(config, database, acts)
  } catch (error) {
    await undo(acts)
    throw error
  }
}

/** Does what undoes the acts of a list, the last one first, also when one of them fails. */
async function undo(acts: Array<() => unknown>): Promise<void> {
  const last = acts.pop()
  if (!last) return
  try {
    await last()
  } finally {
    await undo(acts)
  }
}

/** @param acts gets what undoes what is done here */
async function make(
  config: Config,
  database: string | undefined,
  acts: Array<() => unknown>,
): Promise<TemporaryKnowledge & AsyncDisposable> {
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-eval-'))
  acts.push(() => rm(dataDir, { recursive: true, force: true }))
  // Idle threads and timers of an instance keep no process alive, not even until it has stopped.
  const alive = setInterval(() => undefined, 60_000)
  acts.push(() => clearInterval(alive))
  let isOurs = false
  // After the instance has been stopped; a file of SQLite goes with the folder.
  acts.push(async () => {
    if (isOurs && database !== undefined) await dropTables(config, dataDir, database)
  })
  const warnings: string[] = []
  const copydesk = await open(config, dataDir, database, warnings)
  acts.push(() => copydesk.stop())
  await requireEmpty(copydesk)
  isOurs = true
  await copydesk.migrations.up()
  await copydesk.setUp()
  await copydesk.start()
  const { caller, datasetId } = await datasetOf(copydesk)
  const documents = new Map<string, string>()
  return {
    async add(given, { signal, onProgress }) {
      const files = given.filter(({ title, text }) => title.trim() !== '' || text.trim() !== '')
      const jobs: string[] = []
      for (let at = 0; at < files.length; at += batchSize) {
        signal.throwIfAborted()
        const batch = files.slice(at, at + batchSize)
        const body = formOf(batch, at)
        const receipt = await caller.call('dashboard.knowledge_base.upload', {
          params: { datasetId },
          body: body as never,
        })
        for (const [n, { id }] of receipt.uploadedFiles.entries()) {
          documents.set(nameOf(at + n), (batch[n] as Document).id)
          jobs.push(id)
        }
      }
      const failed: Array<{ id: string; reason: string }> = []
      for (const [n, fileId] of jobs.entries()) {
        const reason = await ended(caller, { datasetId, fileId }, signal)
        if (reason !== undefined) failed.push({ id: (files[n] as Document).id, reason })
        onProgress(n + 1)
      }
      return failed
    },
    async search(query, way) {
      if (way.rerank && !toRerank(config))
        throw new Failure('No model ranks results: set `rerank` in the configuration.')
      warnings.length = 0
      const { results, searchMs } = await caller.call('dashboard.knowledge_base.search', {
        body: {
          query: query.slice(0, 1_000),
          datasetIds: [datasetId],
          topK: mostResults,
          ...way,
        },
      })
      // The order of search takes its place, which is not what was to be measured.
      if (way.rerank && warnings.length > 0)
        throw new Failure(`The results of "${query}" were not ranked by the model: ${warnings[0]}`)
      const found = results.map(({ fileName }) => documents.get(fileName) ?? fileName)
      return { documents: found, rankSource: results[0]?.rankSource, searchMs }
    },
    [Symbol.asyncDispose]: () => undo(acts),
  }
}

/** @param warnings gets what went wrong and was done without, with its reason */
function open(
  config: Config,
  dataDir: string,
  database: string | undefined,
  warnings: string[] = [],
): Promise<Copydesk> {
  const embeddings = toEmbeddings(config)
  const rerank = toRerank(config)
  keepWebAssemblyCode()
  return createCopydesk({
    database: database ?? join(dataDir, 'copydesk.db'),
    dataDir,
    // Nobody reaches it.
    baseUrl: 'http://127.0.0.1',
    encryptionKeys: [{ id: 'eval', key: randomBytes(32).toString('base64') }],
    signingKeys: [{ id: 'eval', secret: randomBytes(32).toString('hex') }],
    log: noting(createLogger({ level: 'error' }), warnings),
    allowHosts: [...config.allowHosts, ...hostsOfEmbeddings(config), ...hostsOfRerank(config)],
    worker: { concurrency: 2 },
    ...(embeddings && { embeddings: inFolderOf(config, embeddings) }),
    ...(rerank && { rerank }),
  })
}

function noting(log: Logger, warnings: string[]): Logger {
  return {
    ...log,
    warn: (message, fields) => void warnings.push(`${message}: ${fields?.['reason']}`),
    child: (fields) => noting(log.child(fields), warnings),
  }
}

/** A model in a folder is named relative to the data folder, which is another one here. */
function inFolderOf<T extends { provider: string; model: string }>({ dataDir }: Config, embeddings: T): T {
  return embeddings.provider === 'static'
    ? { ...embeddings, model: resolve(dataDir, embeddings.model) }
    : embeddings
}

/** @throws Failure for a database that has an installation, which must not be touched */
async function requireEmpty({ migrations }: Copydesk): Promise<void> {
  const { executed, unknown } = await migrations.status()
  if (executed.length + unknown.length > 0)
    throw new Failure('--database must name an empty database: this one has an installation of Copydesk.')
}

async function dropTables(config: Config, dataDir: string, database: string): Promise<void> {
  const copydesk = await open(config, dataDir, database)
  try {
    while ((await copydesk.migrations.down()).length > 0);
  } finally {
    await copydesk.stop()
  }
}

/** A tenant with its first dataset, and its admin. */
async function datasetOf(copydesk: Copydesk) {
  const system = copydesk.asSystem()
  const tenant = await system.tenants.create({ name: 'Evaluation', timezone: 'UTC' })
  const { id } = await system.users.create({
    email: 'admin@evaluation.example',
    password: randomBytes(18).toString('base64url'),
    name: 'Admin',
    role: 'admin',
    tenantId: tenant.id,
  })
  const caller = copydesk.as({
    id,
    type: 'human',
    role: 'admin',
    tenantId: tenant.id,
    appAccess: ['dashboard'],
  })
  const { data } = await caller.call('dashboard.knowledge_base.list')
  return { caller, datasetId: data[0]?.id ?? '' }
}

type DashboardCaller = Awaited<ReturnType<typeof datasetOf>>['caller']

const nameOf = (index: number) => `${index + 1}.md`

/** Documents as files of an upload: Markdown with the title as its heading. */
function formOf(documents: readonly Document[], from: number): FormData {
  const form = new FormData()
  for (const [n, { title, text }] of documents.entries()) {
    const heading = title.trim() === '' ? '' : `# ${title.replace(/\s+/g, ' ').trim()}\n\n`
    form.append('files', new File([heading + text], nameOf(from + n)))
  }
  return form
}

/** Waits until a file is ingested. @returns the reason when it cannot be */
async function ended(
  caller: DashboardCaller,
  params: { datasetId: string; fileId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  for (;;) {
    const { status, errorMessage } = await caller.call('dashboard.knowledge_base.progress', { params })
    if (status === 'indexed') return undefined
    if (status === 'error') return errorMessage ?? 'unknown'
    await setTimeout(lookMs, undefined, { signal })
  }
}
