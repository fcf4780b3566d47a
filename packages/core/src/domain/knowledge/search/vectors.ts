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
