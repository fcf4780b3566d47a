import { createHash } from 'node:crypto'
import type { CopydeskOptions } from '@copydesk/core'
import {
  Dataset,
  KnowledgeChunk,
  KnowledgeFile,
  type KnowledgeFileRow,
} from '../../../packages/core/src/domain/knowledge/datasets/entities.ts'
import { KnowledgeSearch } from '../../../packages/core/src/domain/knowledge/search/schemas.ts'
import { searchKnowledge } from '../../../packages/core/src/domain/knowledge/search/search.ts'
import { modelKey, packVector } from '../../../packages/core/src/domain/knowledge/search/vectors.ts'
import type { Ctx } from '../../../packages/core/src/kernel/context.ts'
import { createTestApp } from '../../kit/app.ts'
import { startEmbeddings, vectorOf } from '../../kit/embedding-server.ts'
import { parts } from '../agents.ts'

export type NewChunk = string | { text: string; heading?: string; page?: number; model?: string }
type FileChanges = Partial<
  Pick<KnowledgeFileRow, 'enabled' | 'version' | 'url' | 'publishedAt' | 'fileName' | 'tenantId'>
> & { chunksVersion?: number; datasetId?: string }

const dimensions = 64

/** An instance with a tenant, a dataset, and what fills and searches it. Chunks get vectors where embeddings are asked for. */
export async function createCorpus(embeddings?: Parameters<typeof startEmbeddings>[0] | true) {
  const server = embeddings && (await startEmbeddings(embeddings === true ? undefined : embeddings))
  const warnings: string[] = []
  const app = await createTestApp({
    worker: false,
    ...(server && {
      embeddings: {
        provider: 'custom',
        model: 'm',
        baseUrl: server.url,
      } satisfies CopydeskOptions['embeddings'],
      allowHosts: [new URL(server.url).host],
    }),
  })
  const inside = await parts(app)
  const system = app.copydesk.asSystem()
  const tenantOf = async (name: string) =>
    (await system.tenants.create({ name, timezone: 'Europe/London' })).id
  const tenantId = await tenantOf('Hearth')
  const ctx = inside.adminOf(tenantId)
  const at = inside.clock.date()
  const log: Ctx['log'] = { ...ctx.log, warn: (message) => void warnings.push(message) }

  const addDataset = async (owner = tenantId) => {
    const id = inside.newId()
    const values = {
      id,
      tenantId: owner,
      slug: id.toLowerCase(),
      name: 'Brand',
      description: null,
      chunkSize: 512,
      chunkOverlap: 64,
      parseType: 'NAIVE' as const,
      parserEngine: 'NATIVE' as const,
      allowedAgentRoles: null,
      languages: null,
      createdOn: at,
      updatedOn: at,
    }
    await app.db.unitOfWork('all', async (em) => void em.create(Dataset, values))
    return id
  }
  const datasetId = await addDataset()

  return {
    app,
    ctx: { ...ctx, log } satisfies Ctx,
    inside,
    datasetId,
    tenantId,
    warnings,
    addDataset,
    tenantOf,
    server: server || undefined,
    /** A file with its chunks, of version 1 as the file unless they are said to be of another. @returns its id */
    async addFile(chunks: readonly NewChunk[], changes: FileChanges = {}): Promise<string> {
      const id = inside.newId()
      const { chunksVersion = 1, ...file } = changes
      const values = { tenantId, datasetId, ...file }
      await app.db.unitOfWork('all', async (em) => {
        em.create(KnowledgeFile, {
          id,
          fileName: `${id}.md`,
          mimeType: 'text/markdown',
          fileSizeBytes: 1,
          sha256: '0'.repeat(64),
          source: 'upload',
          status: 'indexed',
          progress: 100,
          enabled: true,
          errorMessage: null,
          chunkSize: null,
          chunkOverlap: null,
          parseType: null,
          parserEngine: null,
          chunksCount: chunks.length,
          version: 1,
          model: server ? modelOf(chunks) : null,
          language: 'en',
          url: null,
          publishedAt: null,
          createdOn: at,
          updatedOn: at,
          ...values,
        })
        for (const [ordinal, given] of chunks.entries()) {
          const {
            text,
            heading = null,
            page = null,
            model = 'm',
          } = typeof given === 'string' ? { text: given } : given
          em.create(KnowledgeChunk, {
            id: inside.newId(),
            tenantId,
            datasetId: values.datasetId,
            fileId: id,
            version: chunksVersion,
            ordinal,
            text,
            heading,
            page,
            sha256: createHash('sha256').update(`${heading}\n${text}`).digest('hex'),
            model: server ? modelKey('custom', model, dimensions) : null,
            vector: server ? packVector(unit(vectorOf(text, dimensions))) : null,
            headingStems: null,
            textStems: null,
          })
        }
      })
      return id
    },
    changeFile: (id: string, changes: Partial<KnowledgeFileRow>) =>
      app.db.unitOfWork(
        'all',
        async (em) => void em.assign(await em.findOneOrFail(KnowledgeFile, id), changes),
      ),
    removeFile: (id: string) =>
      app.db.unitOfWork('all', async (em) => {
        await em.nativeDelete(KnowledgeChunk, { fileId: id })
        await em.nativeDelete(KnowledgeFile, { id })
      }),
    search: (query: string, changes: Partial<KnowledgeSearch> = {}, by: Ctx = { ...ctx, log }) =>
      searchKnowledge(by, KnowledgeSearch.parse({ query, datasetIds: [datasetId], ...changes })),
    async [Symbol.asyncDispose]() {
      await inside[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
      if (server) await server[Symbol.asyncDispose]()
    },
  }
}

/** What all chunks have a vector of; null where they differ. */
function modelOf(chunks: readonly NewChunk[]): string | null {
  const models = new Set(chunks.map((chunk) => (typeof chunk === 'string' ? 'm' : (chunk.model ?? 'm'))))
  const [model] = models
  return model !== undefined && models.size === 1 ? modelKey('custom', model, dimensions) : null
}

/** The same vector with length 1, or of zeros as it is. */
function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (number) => (length > 0 ? number / length : 0))
}
