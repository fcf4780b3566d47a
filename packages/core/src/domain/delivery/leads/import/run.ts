import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { LeadImport } from '../entities.ts'
import { BatchWriter, lockImport } from './batch-writer.ts'
import { CsvFault } from './csv-fault.ts'
import { noteGrowth } from './insert-queries.ts'
import { tidyImportJob } from './jobs.ts'
import { abandonedImports } from './queries.ts'
import { textKey } from './start.ts'
import { TextGone, TextReader } from './text-reader.ts'

/** When so many leads were written, and whenever there are so many times as many, the database takes note of it. */
const fewestNoted = 400
const growth = 5

/**
 * Handles `lead.import` jobs: makes leads of the rows that were not read yet. Each transaction holds some leads and how far the text has
 * been read with them, so that a process that dies leaves nothing twice and nothing out.
 */
export async function runImport(
  ctx: Ctx,
  { importId }: { importId: string },
  signal: AbortSignal,
): Promise<void> {
  const found = await transact(ctx, (txn) =>
    txn.em.findOne(LeadImport, { id: importId, status: 'processing' }),
  )
  if (!found) return
  const { tenantId, format, sizeBytes: size } = found
  const own: Ctx = { ...ctx, scope: [tenantId] }
  const reader = new TextReader(own, { tenantId, key: textKey(tenantId, importId), size, format }, signal)
  const writer = new BatchWriter(own, importId)
  const batches = reader.batches({ at: found.readBytes, line: found.nextLine }, writer.size)
  let [written, noted] = [0, fewestNoted]
  try {
    let next = batches.next()
    for (let read = await next; !read.done; read = await next) {
      signal.throwIfAborted()
      // Read while the rows of this one are written.
      next = batches.next()
      next.catch(() => undefined)
      const batch = read.value
      let outcome = await writer.write(batch)
      if (outcome === 'doubled') outcome = await writer.write(await reader.again(batch))
      if (outcome === 'elsewhere') return
      written += batch.count
      if (written >= noted * growth) {
        noted = written
        await noteGrowth(own)
      }
      await setImmediate()
    }
    await writer.end()
  } catch (error) {
    if (error instanceof CsvFault) return end(own, importId, error.message)
    if (error instanceof TextGone)
      return end(own, importId, 'The file is gone from the store. Upload it again.')
    throw error
  } finally {
    // The next try has to find all that was written.
    await writer.settled()
  }
  await end(own, importId)
}

/** @param reason why it has failed */
function end(ctx: Ctx, importId: string, reason?: string): Promise<void> {
  return transact(ctx, async (txn) => {
    const row = await lockImport(txn, importId)
    if (row?.status !== 'processing') return
    const status = reason === undefined ? 'completed' : 'failed'
    Object.assign(row, { status, reason: reason ?? null, finishedOn: txn.clock.date() })
    txn.enqueue(tidyImportJob, { tenantId: row.tenantId, payload: { tenantId: row.tenantId, importId } })
  })
}

/** Ends imports that no one goes on with: their job was given up, or is gone. Any number of processes may do it. */
export async function giveUpImports(ctx: Ctx): Promise<void> {
  for (const { id, tenantId } of await abandonedImports(ctx)) {
    await transact({ ...ctx, scope: [tenantId] }, async (txn) => {
      // It may have ended since.
      if ((await abandonedImports(txn, id)).length === 0) return
      await end(
        txn,
        id,
        'The import could not be finished, and several tries have failed. Import the file again.',
      )
    })
  }
}
