import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EmbeddingFault } from '../../../packages/core/src/platform/embeddings/port.ts'
import { readTensors } from '../../../packages/core/src/platform/embeddings/safetensors.ts'
import { f32, modelFolder, safetensors } from './static-files.ts'

function outcomeOf(file: string): string {
  try {
    const table = readTensors(file, ['table']).get('table')
    if (!table) return 'absent'
    const count = table.shape.reduce((product, each) => product * each, 1)
    return table.values.length === count ? 'whole' : `${table.values.length} of ${count} numbers`
  } catch (error) {
    return error instanceof EmbeddingFault && error.message.includes(file) ? 'rejected' : String(error)
  }
}

describe('readTensors', () => {
  it('reads the tensors that are asked for, wherever they lie', () => {
    const content = safetensors({ first: f32([1], [7]), second: f32([2, 2], [1, 2, 3, 4]) })
    using folder = modelFolder({ 'a.safetensors': content })
    const found = readTensors(join(folder.path, 'a.safetensors'), ['second', 'third', '__proto__'])
    expect([...found]).toEqual([
      ['second', { dtype: 'F32', shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) }],
    ])
  })

  it('reads or rejects whatever a file contains', () => {
    const content = safetensors({ table: f32([2, 2], [1, 2, 3, 4]) })
    using folder = modelFolder({})
    const file = join(folder.path, 'a.safetensors')
    const change = fc.record({ at: fc.nat(content.length - 1), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), fc.nat(content.length), (changes, length) => {
        const bytes = Buffer.from(content)
        for (const { at, byte } of changes) bytes[at] = byte
        writeFileSync(file, bytes.subarray(0, length))
        expect(outcomeOf(file)).toMatch(/^(?:whole|absent|rejected)$/)
      }),
      { numRuns: 500 },
    )
  })
})
