/** What a vector is of: only those with the same key can be compared. Stored with each chunk. */
export function modelKey(provider: string, model: string, dimensions: number): string {
  return `${provider}/${model}/${dimensions}`
}

/** A vector as it is stored: 32-bit floats, little-endian. */
export function packVector(vector: Float32Array): Buffer {
  const packed = Buffer.alloc(vector.length * 4)
  for (let i = 0; i < vector.length; i += 1) packed.writeFloatLE(vector[i] as number, i * 4)
  return packed
}

/** The vector that `packVector` has packed. */
export function unpackVector(packed: Uint8Array): Float32Array {
  const vector = new Float32Array(Math.floor(packed.byteLength / 4))
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  for (let i = 0; i < vector.length; i += 1) vector[i] = view.getFloat32(i * 4, true)
  return vector
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
  const numbers = new Float32Array(whole.length * dimensions)
  for (const [index, { vector }] of whole.entries()) numbers.set(unpackVector(vector), index * dimensions)
  return { seqs: whole.map(({ seq }) => seq), numbers }
}
