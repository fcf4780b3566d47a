import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesOf, f32, safetensors, withHeader, wordPiece } from './static-files.ts'
import { files, harness, query, rows, table, vocabulary } from './static-model.ts'

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
