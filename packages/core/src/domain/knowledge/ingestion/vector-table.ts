import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../../kernel/context.ts'
import type { Database } from '../../../platform/database/database.ts'
import { hasVectorTable } from '../search/postgres-vectors-queries.ts'
import { fitsPgvector, modelPrefix, storedToFloatArray } from '../search/vectors.ts'
import {
  addVectors,
  type FileToAdd,
  filesToAdd,
  isPgvectorInstalled,
  makeVectorTable,
  vectorsToAdd,
} from './vector-table-queries.ts'

/** How many vectors are added by a statement, and how many files are looked for. */
const batchSize = 64
/** How long one job adds vectors, ms; the next one goes on. */
const mostMs = 60_000

/**
 * Gives PostgreSQL all vectors of the present model in the form of pgvector, where that is installed: those of before it was, and those that a process
 * which died has left out. What is missing is compared in this process. Any number of processes may do it.
 */
export async function fillVectorTable(ctx: Ctx, signal?: AbortSignal): Promise<void> {
  const { embedder } = ctx.services
  if (!embedder || !(await isReady(ctx))) return
  const model = modelPrefix(embedder.provider, embedder.model)
  const began = performance.now()
  for (let after = ''; performance.now() - began < mostMs; ) {
    const files = await filesToAdd(ctx, { model, after, most: batchSize })
    for (const file of files) {
      signal?.throwIfAborted()
      await addFile(ctx, file)
    }
    const last = files.at(-1)
    if (!last) return
    after = last.id
  }
}

/** The same for a version of a file that is about to be searched; whatever fails is left to `fillVectorTable`. */
export async function addToVectorTable(ctx: Ctx, file: FileToAdd): Promise<void> {
  if (ctx.db.dialect !== 'postgresql') return
  try {
    if (await hasVectorTable(ctx.sql)) await addFile(ctx, file)
  } catch (error) {
    ctx.log.warn('vectors were not added to those of pgvector', { error })
  }
}

async function addFile(ctx: Ctx, file: FileToAdd): Promise<void> {
  for (let after = -1; ; ) {
    const found = await vectorsToAdd(ctx, file, { after, most: batchSize })
    const vectors = found.flatMap(({ seq, model, vector }) =>
      model !== null && fitsPgvector(model)
        ? [{ seq, embedding: vector && storedToFloatArray(vector, model) }]
        : [],
    )
    if (vectors.length > 0) await addVectors(ctx, vectors)
    const last = found.at(-1)
    if (!last || found.length < batchSize) return
    after = last.ordinal
  }
}

/** Why a database has no table, so that it is tried and said only once. */
const reasons = new WeakMap<Database, string>()

/** Makes the table where that can be done and was not done before. */
async function isReady(ctx: Ctx): Promise<boolean> {
  const { db, log } = ctx
  if (db.dialect !== 'postgresql') return false
  if (await hasVectorTable(ctx.sql)) return true
  const found = await db.vectors()
  const reason = found.by ?? found.missing
  if (reasons.get(db) === reason) return false
  try {
    if (found.by !== undefined || (await isPgvectorInstalled(ctx))) {
      await makeVectorTable(ctx)
      return true
    }
    log.info(`vectors are compared in this process, because ${reason}`)
  } catch (error) {
    log.warn('vectors are compared in this process, because the table for pgvector cannot be made', { error })
  }
  reasons.set(db, reason)
  return false
}
