import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { createEmbedder } from '../../../packages/core/src/platform/embeddings/embedder.ts'
import type { Embedder } from '../../../packages/core/src/platform/embeddings/port.ts'
import {
  f32,
  modelFolder,
  safetensors,
  type TestTensor,
  unigram,
  withHeader,
  wordPiece,
} from './static-files.ts'

const vocabulary = ['[PAD]', '[UNK]', 'good', 'bread', '##s', 'rye']
/** A vector for each token, three dimensions. */
const rows = [
  [9, 9, 9],
  [7, 7, 7],
  [1, 0, 0],
  [0, 2, 0],
  [0, 0, 2],
  [3, 4, 0],
]
const table = f32([6, 3], rows.flat())
const files = (
  tensors: Record<string, TestTensor> = { embeddings: table },
  tokenizer = wordPiece(vocabulary),
) => ({
  'model.safetensors': safetensors(tensors),
  'tokenizer.json': tokenizer,
})
const query = { purpose: 'query' } as const

function harness(content: Record<string, string | Uint8Array>, dimensions?: number) {
  const folder = modelFolder(content)
  const embedder = createEmbedder(
    { provider: 'static', model: '.', ...(dimensions !== undefined && { dimensions }) },
    { fetch, clock: createSystemClock(), dataDir: folder.path },
  ) as Embedder
  return {
    embedder,
    path: folder.path,
    async vectorsOf(...texts: string[]) {
      const { vectors } = await embedder.embed(texts, query)
      return vectors.map((vector) => [...vector].map((value) => Math.round(value * 1e6) / 1e6))
    },
    [Symbol.asyncDispose]: async () => {
      await embedder.close()
      folder[Symbol.dispose]()
    },
  }
}

const bytesOf = (array: Uint8Array | Uint16Array | Int8Array | Int32Array | Float64Array | BigInt64Array) =>
  new Uint8Array(array.buffer)

describe('embed with a static model', () => {
  it('gives the mean of the vectors of the tokens, with length 1', async () => {
    await using it = harness(files())
    expect(it.embedder.dimensions).toBeUndefined()
    // good + bread + ##s is (1, 2, 2), of length 3; rye is (3, 4, 0), of length 5.
    expect(await it.vectorsOf('Good breads', 'rye rye', 'BREAD')).toEqual([
      [0.333333, 0.666667, 0.666667],
      [0.6, 0.8, 0],
      [0, 1, 0],
    ])
    expect(it.embedder.dimensions).toBe(3)
    expect(await it.embedder.embed(['good breads', 'rye'], query)).toMatchObject({ tokens: 4 })
  })

  it('leaves out what the model does not know; of that alone the vector is zero', async () => {
    await using it = harness(files())
    expect(await it.vectorsOf('rye ☃ quark', '☃')).toEqual([
      [0.6, 0.8, 0],
      [0, 0, 0],
    ])
  })

  it('takes words apart by the likeliest pieces where the tokenizer is a Unigram', async () => {
    const pieces = unigram([
      ['<unk>', 0],
      ['▁red', -1],
      ['▁re', -2],
      ['d', -3],
      ['▁bread', -9],
      ['▁b', -2],
      ['rea', -2],
    ])
    const two = f32([7, 2], [0, 0, 3, 4, 8, 6, 0, 1, 1, 0, 5, 0, 0, 12])
    await using it = harness(files({ embeddings: two }, pieces))
    // ▁red at -1 beats ▁re d at -5; ▁b rea d at -7 beats ▁bread at -9, and its sum is (5, 13).
    const length = Math.hypot(5, 13)
    expect(await it.vectorsOf('red', 'bread')).toEqual([
      [0.6, 0.8],
      [5 / length, 13 / length].map((value) => Math.round(value * 1e6) / 1e6),
    ])
  })

  it.each<[string, Uint8Array]>([
    ['F64', bytesOf(Float64Array.of(0, 0, 0, 0, 1.5, -2, 0, 0.5))],
    ['F16', bytesOf(Uint16Array.of(0, 0, 0, 0, 0x3e00, 0xc000, 0, 0x3800))],
    ['BF16', bytesOf(Uint16Array.of(0, 0, 0, 0, 0x3fc0, 0xc000, 0, 0x3f00))],
    ['I8', bytesOf(Int8Array.of(0, 0, 0, 0, 6, -8, 0, 2))],
  ])('reads vectors of %s', async (dtype, bytes) => {
    const tokenizer = wordPiece(['[PAD]', '[UNK]', 'good', 'bread'])
    await using it = harness(files({ embeddings: { dtype, shape: [4, 2], bytes } }, tokenizer))
    // (1.5, -2) and (0, 0.5): the scale of integers does not matter for the direction.
    const length = Math.hypot(1.5, 1.5)
    expect(await it.vectorsOf('good', 'good bread')).toEqual([
      [0.6, -0.8],
      [1.5 / length, -1.5 / length].map((value) => Math.round(value * 1e6) / 1e6),
    ])
  })

  it.each<[string, TestTensor]>([
    ['I32', { dtype: 'I32', shape: [6], bytes: bytesOf(Int32Array.of(0, 0, 1, 2, 2, 1)) }],
    ['I64', { dtype: 'I64', shape: [6], bytes: bytesOf(BigInt64Array.of(0n, 0n, 1n, 2n, 2n, 1n)) }],
  ])('shares rows by a mapping of %s, and weighs tokens', async (_, mapping) => {
    const embeddings = f32([3, 2], [9, 9, 1, 0, 0, 1])
    const weights = f32([6], [1, 1, 3, 1, 3, 0.5])
    await using it = harness(files({ embeddings, weights, mapping }))
    // good: row 1 three times; bread: row 2 once, its ##s row 2 three times.
    expect(await it.vectorsOf('good breads')).toEqual([[0.6, 0.8]])
  })

  it('uses the first dimensions only where the configuration says so', async () => {
    await using it = harness(files({ 'embedding.weight': table }), 2)
    expect(await it.vectorsOf('good breads')).toEqual([
      [1, 2].map((value) => Math.round((value / Math.sqrt(5)) * 1e6) / 1e6),
    ])
    await using more = harness(files(), 4)
    await expect(more.vectorsOf('good')).rejects.toMatchObject({
      reason: 'dimensions',
      message: `embeddings.dimensions is 4, but ${join(more.path, 'model.safetensors')} has 3`,
    })
  })

  it('keeps the order of many texts, and loads its folder again once that can be used', async () => {
    await using it = harness({})
    await expect(it.vectorsOf('good')).rejects.toMatchObject({ reason: 'missing' })
    for (const [name, content] of Object.entries(files())) writeFileSync(join(it.path, name), content)
    const texts = Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? 'good' : 'bread'))
    expect(await it.vectorsOf(...texts)).toEqual(
      texts.map((text) => (text === 'good' ? [1, 0, 0] : [0, 1, 0])),
    )
    // What was read stays in the thread.
    rmSync(join(it.path, 'model.safetensors'))
    expect(await it.vectorsOf('good')).toEqual([[1, 0, 0]])
  })
})

describe('the files of a static model', () => {
  const entry = (changes: object) =>
    JSON.stringify({ embeddings: { dtype: 'F32', shape: [6, 3], data_offsets: [0, 72], ...changes } })
  const data = table.bytes
  const broken = (content: Uint8Array) => ({ ...files(), 'model.safetensors': content })
  const header = (changes: object) => broken(withHeader(entry(changes), data))
  const longHeader = Buffer.alloc(16)
  longHeader.writeBigUInt64LE(2n ** 60n)

  it.each<[string, Record<string, string | Uint8Array>, string]>([
    ['no table', { 'tokenizer.json': wordPiece(vocabulary) }, 'model.safetensors does not exist'],
    [
      'no tokenizer',
      { 'model.safetensors': safetensors({ embeddings: table }) },
      'tokenizer.json does not exist',
    ],
    ['an empty table', broken(Buffer.alloc(0)), 'model.safetensors is cut off: it has 0 bytes'],
    ['a header of 2^60 bytes', broken(longHeader), 'its header would have 1152921504606846976 bytes'],
    [
      'a header that is cut off',
      broken(safetensors({ embeddings: table }).subarray(0, 40)),
      'its header would have',
    ],
    [
      'numbers that are cut off',
      broken(safetensors({ embeddings: table }).subarray(0, -1)),
      'lies outside of the file, at 0 to 72 of 71',
    ],
    [
      'a header that is no JSON',
      broken(withHeader('{"embeddings":', data)),
      'its header is not a JSON object',
    ],
    ['a header that is no object', broken(withHeader('[[]]', data)), 'its header is not a JSON object'],
    [
      'a header that is no UTF-8',
      broken(Buffer.concat([withHeader('xx').subarray(0, 8), Buffer.of(0xff, 0xfe)])),
      'its header is not a JSON object',
    ],
    [
      'an entry that is none',
      broken(withHeader('{"embeddings":null}', data)),
      'has a tensor "embeddings" that has the type undefined',
    ],
    [
      'an unknown type',
      header({ dtype: 'F8_E4M3' }),
      'has the type "F8_E4M3"; F64, F32, F16, BF16, I8, I32, I64 can be read',
    ],
    ['a type by a name of objects', header({ dtype: 'constructor' }), 'has the type "constructor"'],
    [
      'offsets outside of the file',
      header({ data_offsets: [2 ** 50, 2 ** 50 + 72] }),
      'lies outside of the file',
    ],
    ['offsets in the wrong order', header({ data_offsets: [72, 0] }), 'lies outside of the file'],
    ['negative offsets', header({ data_offsets: [-72, 0] }), 'has no two offsets'],
    [
      'a shape larger than its bytes',
      header({ shape: [2 ** 40, 2 ** 40] }),
      'has 72 bytes, which is not its shape',
    ],
    ['a shape of fractions', header({ shape: [4.5, 4] }), 'has no shape of whole numbers'],
    [
      'a shape of one dimension',
      header({ shape: [18] }),
      'has embeddings of the shape 18, not tokens × dimensions',
    ],
    [
      'a shape without columns',
      header({ shape: [6, 0], data_offsets: [0, 0] }),
      'has embeddings of the shape 6 × 0',
    ],
    ['another name', files({ vectors: table }), 'has no tensor "embeddings"'],
    [
      'vectors that are no numbers',
      files({ embeddings: f32([6, 3], [...rows.flat().slice(1), Number.NaN]) }),
      'has embeddings with numbers that are not finite',
    ],
    [
      'half floats that are infinite',
      files({
        embeddings: { dtype: 'F16', shape: [6, 1], bytes: bytesOf(Uint16Array.of(0, 0, 0, 0, 0, 0x7c00)) },
      }),
      'has embeddings with numbers that are not finite',
    ],
    [
      'the table of another tokenizer',
      files({ embeddings: f32([5, 3], rows.flat().slice(3)) }),
      'has 5 vectors for the 6 tokens of tokenizer.json',
    ],
    [
      'a mapping to no row',
      files({ embeddings: table, mapping: f32([6], [0, 1, 2, 3, 4, 6]) }),
      'has a mapping to vectors that are not among its 6',
    ],
    [
      'a mapping of other tokens',
      files({ embeddings: table, mapping: f32([2], [0, 1]) }),
      'has a mapping of the shape 2 for 6 tokens',
    ],
    [
      'weights that are no numbers',
      files({ embeddings: table, weights: f32([6], [0, 0, 0, 0, 0, Number.POSITIVE_INFINITY]) }),
      'has weights that are not finite',
    ],
    ['a tokenizer that is no JSON', files(undefined, '{'), 'tokenizer.json cannot be used as a tokenizer'],
    [
      'a tokenizer of another form',
      files(undefined, '{"model":{}}'),
      'tokenizer.json cannot be used as a tokenizer',
    ],
    [
      'a kind of tokenizer that is not known',
      files(undefined, wordPiece(vocabulary).replace('"BertPreTokenizer"', '"Unknown"')),
      'tokenizer.json cannot be used as a tokenizer',
    ],
  ])('are rejected by name with %s', async (_, content, message) => {
    await using it = harness(content)
    const fault = await it.embedder.embed(['good'], query).catch((error: unknown) => error)
    expect(fault).toMatchObject({ name: 'EmbeddingFault', reason: 'missing' })
    expect((fault as Error).message).toContain(message)
    expect((fault as Error).message).toContain(it.path)
  })

  it('are rejected where they are larger than 1 GB', async () => {
    await using it = harness(files())
    // Without content on the disk.
    truncateSync(join(it.path, 'model.safetensors'), 1024 ** 3)
    await expect(it.vectorsOf('good')).rejects.toMatchObject({
      reason: 'missing',
      message: `${it.path} has more than 1 GB of model`,
    })
  })
})
