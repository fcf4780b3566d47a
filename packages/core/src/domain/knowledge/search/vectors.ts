import { endianness } from 'node:os'

/** What a vector is of: only those with the same key can be compared. Stored with each chunk. */
export function modelKey(provider: string, model: string, dimensions: number): string {
  return `${modelPrefix(provider, model)}${dimensions}`
}

/** What the keys of a model begin with, whatever its dimensions are. */
export const modelPrefix = (provider: string, model: string): string => `${provider}/${model}/`

/** A vector as it is stored: 32-bit floats, little-endian. */
export function packVector(vector: Float32Array): Buffer {
  const packed = Buffer.alloc(vector.length * 4)
  for (let i = 0; i < vector.length; i += 1) packed.writeFloatLE(vector[i] as number, i * 4)
  return packed
}

/** What pgvector takes at most. */
const mostPgvectorDimensions = 16_000

/**
 * A vector as PostgreSQL receives `float4[]`, from which pgvector makes its own: dimensions, whether there are nulls, the type of the elements, how many and
 * from which number on, and each with its length, all big-endian. The number of pgvector's own type would change with the extension.
 */
export function toFloatArray(vector: Float32Array): Buffer {
  const sent = Buffer.alloc(20 + vector.length * 8)
  for (const [at, head] of [1, 0, 700, vector.length, 1].entries()) sent.writeInt32BE(head, at * 4)
  for (let i = 0; i < vector.length; i += 1) {
    sent.writeInt32BE(4, 20 + i * 8)
    sent.writeFloatBE(vector[i] as number, 24 + i * 8)
  }
  return sent
}

/**
 * A stored vector in that form.
 * @param model as `modelKey` says it
 * @returns null for one that is damaged, of another length or with something in it that is no number
 */
export function storedToFloatArray(stored: Uint8Array, model: string): Buffer | null {
  const dimensions = dimensionsOf(model)
  const vector = toPage([{ seq: 0, vector: stored }], dimensions).numbers
  return vector.length === dimensions && vector.every(Number.isFinite) ? toFloatArray(vector) : null
}

const dimensionsOf = (model: string) => Number(model.slice(model.lastIndexOf('/') + 1))

/** Whether pgvector can hold vectors of a model. */
export const fitsPgvector = (model: string): boolean => dimensionsOf(model) <= mostPgvectorDimensions

/** Which vectors are compared. */
export interface VectorQuery {
  datasetId: string
  /** As `modelKey` says it. */
  model: string
  dimensions: number
}

/** Some vectors of a dataset, one after the other, each under the number of its chunk. */
export interface VectorPage {
  seqs: readonly number[]
  numbers: Float32Array
}

/** Puts vectors of so many dimensions into one page; those that are damaged are left out. */
export function toPage(
  rows: ReadonlyArray<{ seq: number; vector: Uint8Array }>,
  dimensions: number,
): VectorPage {
  const whole = rows.filter(({ vector }) => vector.byteLength === dimensions * 4)
  const bytes = Buffer.alloc(whole.length * dimensions * 4)
  for (const [index, { vector }] of whole.entries()) bytes.set(vector, index * dimensions * 4)
  // As they are stored; number by number it takes many times as long.
  if (endianness() === 'BE') bytes.swap32()
  const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, whole.length * dimensions)
  return { seqs: whole.map(({ seq }) => seq), numbers }
}
