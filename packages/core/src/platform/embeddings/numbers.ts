import type { Tensor } from './safetensors.ts'

/** Adds a part of a tensor, from the index `start` on and as long as `sum`, times `weight`, to `sum`. */
export type AddSlice = (sum: Float64Array, start: number, weight: number) => void

/** How rows of a tensor are added up: on the stored numbers, so that a table takes the memory that it has as a file. */
export function createAdder({ dtype, values }: Tensor): AddSlice {
  const meaning = meaningOf(dtype)
  if (values instanceof BigInt64Array)
    return (sum, start, weight) => {
      for (let i = 0; i < sum.length; i += 1) add(sum, i, weight * Number(values[start + i]))
    }
  if (meaning)
    return (sum, start, weight) => {
      for (let i = 0; i < sum.length; i += 1)
        add(sum, i, weight * (meaning[values[start + i] as number] as number))
    }
  return (sum, start, weight) => {
    for (let i = 0; i < sum.length; i += 1) add(sum, i, weight * (values[start + i] as number))
  }
}

function add(sum: Float64Array, index: number, value: number): void {
  sum[index] = (sum[index] as number) + value
}

/** All numbers of a tensor. Used for short ones: they take eight bytes each. */
export function numbersOf(tensor: Tensor): Float64Array {
  const numbers = new Float64Array(tensor.values.length)
  createAdder(tensor)(numbers, 0, 1)
  return numbers
}

/** False where a number of a tensor is infinite or none at all. */
export function isFiniteTensor({ dtype, values }: Tensor): boolean {
  if (values instanceof Float32Array || values instanceof Float64Array) return values.every(Number.isFinite)
  const meaning = meaningOf(dtype)
  return (
    !meaning || !(values instanceof Uint16Array) || values.every((bits) => Number.isFinite(meaning[bits]))
  )
}

/** What the 65,536 patterns of a number in 16 bits mean; undefined for numbers that are stored as they are. */
function meaningOf(dtype: Tensor['dtype']): Float32Array | undefined {
  if (dtype === 'BF16')
    return (brainFloats ??= Float32Array.from({ length: 65_536 }, (_, bits) => brain(bits)))
  if (dtype === 'F16') return (halfFloats ??= Float32Array.from({ length: 65_536 }, (_, bits) => half(bits)))
  return undefined
}
let brainFloats: Float32Array | undefined
let halfFloats: Float32Array | undefined

/** bfloat16: the first half of a float with 32 bits. */
function brain(bits: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint16(0, bits)
  return view.getFloat32(0)
}

/** IEEE 754 half precision: 1 bit of sign, 5 of exponent, 10 of fraction. */
function half(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1_023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1_024) * 2 ** (exponent - 15)
}
