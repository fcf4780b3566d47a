import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A tensor of a file that the test makes: `bytes` as they are stored. */
export interface TestTensor {
  dtype: string
  shape: readonly number[]
  bytes: Uint8Array
}

export const f32 = (shape: readonly number[], values: readonly number[]): TestTensor => ({
  dtype: 'F32',
  shape,
  bytes: new Uint8Array(Float32Array.from(values).buffer),
})

/** A file in the safetensors format, from the description of the format: u64 length of the header, header, data. */
export function safetensors(tensors: Record<string, TestTensor>): Buffer {
  let end = 0
  const header = Object.fromEntries(
    Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
      const begin = end
      end += bytes.length
      return [name, { dtype, shape, data_offsets: [begin, end] }]
    }),
  )
  return withHeader(JSON.stringify(header), ...Object.values(tensors).map(({ bytes }) => bytes))
}

/** The same with a header of any text. */
export function withHeader(header: string, ...data: Uint8Array[]): Buffer {
  const text = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...data])
}

/** A tokenizer.json that takes words apart as BERT does: pieces that continue a word begin with `##`. */
export function wordPiece(vocabulary: readonly string[]): string {
  return tokenizer({
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  })
}

/** A tokenizer.json that takes words apart as SentencePiece does: the likeliest pieces, `▁` before each word. */
export function unigram(pieces: ReadonlyArray<readonly [string, number]>): string {
  return tokenizer({
    normalizer: null,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 0, vocab: pieces },
  })
}

function tokenizer(parts: Record<string, unknown>): string {
  return JSON.stringify({ version: '1.0', added_tokens: [], post_processor: null, decoder: null, ...parts })
}

/** A folder with these files, which goes with the test. */
export function modelFolder(files: Record<string, string | Uint8Array>): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'copydesk-model-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The bytes of numbers. */
export const bytesOf = (
  array: Uint8Array | Uint16Array | Int8Array | Int32Array | Float64Array | BigInt64Array,
) => new Uint8Array(array.buffer)
