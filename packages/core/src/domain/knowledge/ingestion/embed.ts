import type { Ctx } from '../../../kernel/context.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { Embedder } from '../../../platform/embeddings/port.ts'
import { modelKey, packVector } from '../search/vectors.ts'
import { type KnownVector, knownVectors } from './chunk-queries.ts'
import type { Chunk } from './chunks.ts'

/** A chunk as it is stored. */
export interface NewChunk extends Chunk {
  sha256: string
  model: string | null
  vector: Buffer | null
}

type Hashed = Chunk & { sha256: string }
type Vectors = Map<string, Pick<KnownVector, 'model' | 'vector'>>

/**
 * Gives chunks their vectors where embeddings are configured. A text of the tenant that the same model has embedded before is not
 * embedded again.
 * @throws EmbeddingFault
 */
export async function embedChunks(
  ctx: Ctx,
  tenantId: string,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<NewChunk[]> {
  const hashed = chunks.map((chunk) => ({ ...chunk, sha256: sha256Hex(whole(chunk)) }))
  const { embedder } = ctx.services
  const vectors = embedder ? await vectorsOf(ctx, embedder, tenantId, hashed, signal) : new Map()
  return hashed.map((chunk) => ({ ...chunk, model: null, vector: null, ...vectors.get(chunk.sha256) }))
}

async function vectorsOf(
  ctx: Ctx,
  embedder: Embedder,
  tenantId: string,
  chunks: readonly Hashed[],
  signal: AbortSignal,
): Promise<Vectors> {
  const known = await knownVectors(
    ctx,
    tenantId,
    chunks.map(({ sha256 }) => sha256),
    modelKey(embedder.provider, embedder.model, 0).slice(0, -1),
  )
  const found: Vectors = new Map(known.map(({ sha256, ...vector }) => [sha256, vector]))
  const missing = chunks.filter(({ sha256 }) => !found.has(sha256))
  const made = await embed(embedder, missing, signal)
  const [first] = made.values()
  // A model that answers with other dimensions than it did cannot be compared with itself.
  const outdated = first ? chunks.filter(({ sha256 }) => isOther(found.get(sha256), first)) : []
  return new Map([...found, ...made, ...(await embed(embedder, outdated, signal))])
}

const isOther = (one: { model: string } | undefined, other: { model: string }) =>
  one !== undefined && one.model !== other.model

async function embed(embedder: Embedder, chunks: readonly Hashed[], signal: AbortSignal): Promise<Vectors> {
  if (chunks.length === 0) return new Map()
  const { vectors } = await embedder.embed(chunks.map(whole), { purpose: 'document', signal })
  return new Map(
    chunks.map(({ sha256 }, n) => {
      const vector = vectors[n] as Float32Array
      return [
        sha256,
        { model: modelKey(embedder.provider, embedder.model, vector.length), vector: packVector(vector) },
      ]
    }),
  )
}

/** What is embedded: a piece of text says little without the headings above it. */
const whole = ({ heading, text }: Chunk) => (heading === null ? text : `${heading}\n\n${text}`)
