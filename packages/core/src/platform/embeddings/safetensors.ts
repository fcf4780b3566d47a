import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { EmbeddingFault } from './port.ts'

/** The numbers of a tensor as they are stored; of `F16` and `BF16` their bits. */
type Stored = Float64Array | Float32Array | Uint16Array | Int8Array | Int32Array | BigInt64Array

/** A table of numbers in row-major order. */
export interface Tensor {
  dtype: DType
  shape: readonly number[]
  values: Stored
}

type DType = keyof typeof arrays
const arrays = {
  F64: Float64Array,
  F32: Float32Array,
  F16: Uint16Array,
  BF16: Uint16Array,
  I8: Int8Array,
  I32: Int32Array,
  I64: BigInt64Array,
} as const

/** Of the JSON at the start of a file; that of a model with a few tensors is shorter by far. */
const longestHeader = 10 * 1024 * 1024

/**
 * Reads tensors of a file in the safetensors format: the length of a header, the header in JSON, numbers. Everything in the header is
 * checked against the file before it is used, and only the tensors that are asked for are read.
 * @returns those of `names` that the file has
 * @throws {EmbeddingFault} `missing` that names the file and what is wrong with it
 */
export function readTensors(file: string, names: readonly string[]): Map<string, Tensor> {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const start = new DataView(new ArrayBuffer(8))
    if (size < 8) throw unusable(file, `is cut off: it has ${size} bytes`)
    readInto(descriptor, start, 0, file)
    const length = start.getBigUint64(0, true)
    if (length > BigInt(Math.min(longestHeader, size - 8)))
      throw unusable(file, `is cut off or damaged: its header would have ${length} bytes`)
    const header = new Uint8Array(Number(length))
    readInto(descriptor, header, 8, file)
    const entries = parseHeader(header, file)
    const dataStart = 8 + header.length
    const found = new Map<string, Tensor>()
    for (const name of names) {
      if (!Object.hasOwn(entries, name)) continue
      const place = placeOf(entries[name], size - dataStart)
      if (typeof place === 'string') throw unusable(file, `has a tensor "${name}" that ${place}`)
      const values = new arrays[place.dtype](place.count)
      readInto(descriptor, values, dataStart + place.begin, file)
      found.set(name, { dtype: place.dtype, shape: place.shape, values })
    }
    return found
  } finally {
    closeSync(descriptor)
  }
}

/** A model that cannot be used because of one of its files. */
export function unusable(file: string, why: string, cause?: unknown): EmbeddingFault {
  return new EmbeddingFault('missing', `${file} ${why}`, { cause })
}

function parseHeader(header: Uint8Array, file: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>
  } catch {
    // What the parser says of half a file helps no one.
  }
  throw unusable(file, 'is not in the safetensors format: its header is not a JSON object')
}

interface Place {
  dtype: DType
  shape: number[]
  count: number
  /** From the end of the header. */
  begin: number
}

/** @returns where a tensor lies, or what is wrong with its entry */
function placeOf(entry: unknown, available: number): Place | string {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>
  if (typeof dtype !== 'string' || !Object.hasOwn(arrays, dtype))
    return `has the type ${JSON.stringify(dtype)}; ${Object.keys(arrays).join(', ')} can be read`
  if (!areCounts(shape)) return 'has no shape of whole numbers'
  if (!areCounts(offsets) || offsets.length !== 2) return 'has no two offsets'
  const [begin = 0, end = 0] = offsets
  if (begin > end || end > available) return `lies outside of the file, at ${begin} to ${end} of ${available}`
  const known = dtype as DType
  const count = shape.reduce((product, each) => product * each, 1)
  if (count * arrays[known].BYTES_PER_ELEMENT !== end - begin)
    return `has ${end - begin} bytes, which is not its shape ${shape.join(' × ')} of ${dtype}`
  return { dtype: known, shape, count, begin }
}

function areCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0)
}

/** Fills `target` from a place in the file. */
function readInto(descriptor: number, target: NodeJS.ArrayBufferView, position: number, file: string): void {
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
  let done = 0
  while (done < bytes.length) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, position + done)
    if (read === 0) throw unusable(file, 'became shorter while it was read')
    done += read
  }
}
