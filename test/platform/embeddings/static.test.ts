import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesOf, f32, type TestTensor, unigram, wordPiece } from './static-files.ts'
import { files, harness, query, table } from './static-model.ts'

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
