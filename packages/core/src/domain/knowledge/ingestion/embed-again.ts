import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { detectLanguage } from '../stemming/detect-language.ts'
import { askAgain } from './ask-again.ts'
import { goOnWithMoney } from './go-on.ts'
import { countAtWork, filesToEmbed } from './outdated-queries.ts'
import { beginningOf, filesWithoutLanguage } from './unasked-queries.ts'
import { fillVectorTable } from './vector-table.ts'

/** Files that wait at a time, at the most: what people upload comes after them. */
const mostAtWork = 100

/**
 * Handles `knowledge.embed_again` jobs: has files ingested again, beside what is searched of them, that lack vectors of the present
 * model, as after another one was configured, or whose words are stemmed by the rules of another language, or that have
 * waited for money; and gives the database the vectors that it compares itself. Any number of processes may do it.
 */
export async function embedAgain(ctx: Ctx, _payload?: object, signal?: AbortSignal): Promise<void> {
  await askForFiles(ctx)
  await fillVectorTable(ctx, signal)
}

async function askForFiles(ctx: Ctx): Promise<void> {
  await stemAgain(ctx)
  await goOnWithMoney(ctx, mostAtWork - (await countAtWork(ctx)))
  const room = mostAtWork - (await countAtWork(ctx))
  if (room <= 0) return
  for (const id of await filesToEmbed(ctx, { most: room })) {
    await transact(ctx, async (txn) => {
      const file = await txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      // Another process may have asked for it since.
      if (!file || (await filesToEmbed(txn, { id, most: 1 })).length === 0) return
      askAgain(txn, file)
    })
  }
}

/** Files that were indexed before languages were told apart: those that are in English are indexed as they should be. */
async function stemAgain(ctx: Ctx): Promise<void> {
  const room = mostAtWork - (await countAtWork(ctx))
  if (room <= 0) return
  for (const { id, version } of await filesWithoutLanguage(ctx, { most: room })) {
    const language = detectLanguage(await beginningOf(ctx, id, version))
    await transact(ctx, async (txn) => {
      const file = await txn.em.findOne(KnowledgeFile, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!file || (await filesWithoutLanguage(txn, { id, most: 1 })).length === 0) return
      // What cannot be ingested again stays as it is.
      if (language === 'en' || file.status === 'error') file.language = 'en'
      else askAgain(txn, file)
    })
  }
}
