import type { Ctx } from '../../../kernel/context.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { Embedder } from '../../../platform/embeddings/port.ts'
import { modelKey, modelPrefix, packVector } from '../search/vectors.ts'
import { type KnownVector, knownVectors } from './chunk-queries.ts'
import type { Chunk } from './chunks.ts'
import type { Purse } from './purse.ts'

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
 * @throws EmbeddingFault; PurseEmpty
 */
export async function embedChunks(
  ctx: Ctx,
  { tenantId, purse }: { tenantId: string; purse: Purse },
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<NewChunk[]> {
  const hashed = chunks.map((chunk) => ({ ...chunk, sha256: sha256Hex(whole(chunk)) }))
  const { embedder } = ctx.services
  const embed: Embed | undefined = embedder && ((texts) => embedTexts(embedder, purse, texts, signal))
  const vectors = embedder && embed ? await vectorsOf(ctx, { embedder, embed }, tenantId, hashed) : new Map()
  return hashed.map((chunk) => ({ ...chunk, model: null, vector: null, ...vectors.get(chunk.sha256) }))
}

type Embed = (chunks: readonly Hashed[]) => Promise<Vectors>

async function vectorsOf(
  ctx: Ctx,
  { embedder, embed }: { embedder: Embedder; embed: Embed },
  tenantId: string,
  chunks: readonly Hashed[],
): Promise<Vectors> {
  const { provider, model, dimensions } = embedder
  const known = await knownVectors(
    ctx,
    tenantId,
    chunks.map(({ sha256 }) => sha256),
    modelPrefix(provider, model),
  )
  const isPresent = (key: string) => dimensions === undefined || key === modelKey(provider, model, dimensions)
  const found: Vectors = new Map(
    known.flatMap(({ sha256, ...vector }) => (isPresent(vector.model) ? [[sha256, vector]] : [])),
  )
  // Before its first answer no one knows of how many dimensions its vectors are now: one text tells.
  const missing = chunks.filter(
    ({ sha256 }, n) => !found.has(sha256) || (dimensions === undefined && n === 0),
  )
  const made = await embed(missing)
  const [first] = made.values()
  // A model that answers with other dimensions than it did cannot be compared with itself.
  const outdated = first
    ? chunks.filter(({ sha256 }) => !made.has(sha256) && isOther(found.get(sha256), first))
    : []
  return new Map([...found, ...made, ...(await embed(outdated))])
}

const isOther = (one: { model: string } | undefined, other: { model: string }) =>
  one !== undefined && one.model !== other.model

async function embedTexts(
  embedder: Embedder,
  purse: Purse,
  chunks: readonly Hashed[],
  signal: AbortSignal,
): Promise<Vectors> {
  if (chunks.length === 0) return new Map()
  const { vectors } = await purse.embed(embedder, chunks.map(whole), signal)
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
