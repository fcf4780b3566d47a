import { performance } from 'node:perf_hooks'
import type { Ctx } from '../../../kernel/context.ts'
import type { Embedded, Embedder } from '../../../platform/embeddings/port.ts'
import {
  bookEmbedding,
  embeddingHeldBack,
  isPricedEmbedding,
} from '../../work/runs/lifecycle/embedding-run.ts'

/** Why an ingestion stops until there is money for it again. The message is for people. */
export class PurseEmpty extends Error {
  override readonly name = 'PurseEmpty'
}

/** What one ingestion may spend on embeddings. */
export interface Purse {
  /**
   * Embeds texts, and books what it has cost where the model has a price.
   * @throws PurseEmpty before anything is spent; what the embedder throws
   */
  embed(embedder: Embedder, texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

export function createPurse(ctx: Ctx, tenantId: string): Purse {
  const runId = ctx.newId()
  return {
    async embed(embedder, texts, signal) {
      const how = { purpose: 'document', signal } as const
      const { model } = embedder
      if (embedder.provider === 'static' || !isPricedEmbedding(ctx, model)) return embedder.embed(texts, how)
      const reason = await embeddingHeldBack(ctx, tenantId)
      if (reason !== undefined) throw new PurseEmpty(emptyMessage(reason))
      const began = performance.now()
      const embedded = await embedder.embed(texts, how)
      const durationMs = performance.now() - began
      const { tokens, estimated } = embedded
      await bookEmbedding(ctx, { runId, tenantId, model, tokens, estimated, durationMs })
      return embedded
    },
  }
}

const emptyMessage = (reason: string) =>
  `${reason}, so no new text is embedded. The file is ingested by itself when more may be spent; what was searched of it stays until then.`
