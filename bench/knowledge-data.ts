import { modelKey, packVector } from '../packages/core/src/domain/knowledge/search/vectors.ts'
import { createIds } from '../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../packages/core/src/platform/database/database.ts'
import { type Installation, lookInto, type Seeded } from './installation.ts'
import { textOf } from './knowledge-texts.ts'

const chunkWords = 150
const chunksPerFile = 10

/** Vectors by the ids of their chunks. */
export type Vectors = Map<string, Float32Array>

/** A vector of length 1 in any direction. */
export function unitVector(next: () => number, dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => next() - 0.5)
  const length = Math.hypot(...vector)
  return vector.map((number) => number / length)
}

/** Gives each tenant a dataset with as many chunks. @returns the datasets, and the vectors of the first */
export async function fillDatasets(
  installation: Installation,
  { tenantId, neighbours }: Seeded,
  { chunks, dimensions }: { chunks: number; dimensions: number },
  next: () => number,
): Promise<{ datasetIds: string[]; vectors: Vectors }> {
  const db = await lookInto(installation)
  const newId = createIds({ now: () => Date.now() } as never)
  const vectors: Vectors = new Map()
  const key = modelKey('custom', 'bench', dimensions)
  const now = new Date()
  const owners = [tenantId, ...neighbours]
  const datasetIds: string[] = []
  try {
    for (const owner of owners) {
      const rows = await db.sql.all('select id from datasets where tenant_id = ? order by id limit 1', [
        owner,
      ])
      const datasetId = (rows[0] as { id: string }).id
      datasetIds.push(datasetId)
      for (let file = 0; file < chunks / owners.length / chunksPerFile; file += 1) {
        const fileId = newId()
        await db.write(async (tx) => {
          await tx.run(insertInto('knowledge_files', fileColumns, 1), [
            fileId,
            owner,
            datasetId,
            `${file}.md`,
            'text/markdown',
            1,
            '0'.repeat(64),
            'upload',
            'indexed',
            100,
            true,
            chunksPerFile,
            1,
            key,
            now,
            now,
          ] satisfies SqlValue[])
          const values: SqlValue[] = []
          for (let ordinal = 0; ordinal < chunksPerFile; ordinal += 1) {
            const id = newId()
            const vector = unitVector(next, dimensions)
            if (owner === tenantId) vectors.set(id, vector)
            values.push(
              id,
              owner,
              datasetId,
              fileId,
              1,
              ordinal,
              textOf(next, chunkWords),
              textOf(next, 3),
              id,
              key,
              packVector(vector),
            )
          }
          await tx.run(insertInto('knowledge_chunks', chunkColumns, chunksPerFile), values)
        })
      }
    }
    // As the server does in time by itself.
    if (db.dialect === 'postgresql') await db.write((tx) => tx.run('analyze'))
  } finally {
    await db.close()
  }
  return { datasetIds, vectors }
}

const fileColumns =
  'id, tenant_id, dataset_id, file_name, mime_type, file_size_bytes, sha256, source, status, progress, enabled, chunks_count, version, model, created_on, updated_on'
const chunkColumns =
  'id, tenant_id, dataset_id, file_id, version, ordinal, text, heading, sha256, model, vector'

function insertInto(table: string, columns: string, rows: number): string {
  const row = `(${columns
    .split(',')
    .map(() => '?')
    .join()})`
  return `insert into ${table} (${columns}) values ${Array.from({ length: rows }, () => row).join()}`
}
