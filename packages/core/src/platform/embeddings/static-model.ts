import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { createAdder, isFiniteTensor, numbersOf } from './numbers.ts'
import { EmbeddingFault } from './port.ts'
import { readTensors, type Tensor, unusable } from './safetensors.ts'

/** A model2vec model: a vector for each token of a vocabulary. */
export interface StaticModel {
  /** Of the vectors in its table. */
  dimensions: number
  /**
   * Adds up the vectors of the tokens of each text; what the model does not know adds nothing.
   * @param dimensions how many of them are wanted, from the first
   * @returns the sums of all texts one after the other, and how many tokens were added
   * @throws {EmbeddingFault}
   */
  sums(texts: readonly string[], dimensions: number): { sums: Float32Array; tokens: number }
}

/** Of the two files together, bytes: what is read of the first stays in memory. */
const largestModel = 1024 ** 3
/** The parsed JSON takes many times as much memory. */
const largestTokenizer = 64 * 1024 ** 2

/**
 * Reads a model from `model.safetensors` and `tokenizer.json` in a folder. Whatever `config.json` says, vectors get the length 1, so it
 * is not read.
 * @throws {EmbeddingFault} `missing` that names the file that is missing, too large, damaged, or does not fit the other
 */
export function openStaticModel(folder: string): StaticModel {
  const tableFile = join(folder, 'model.safetensors')
  const tokenizerFile = join(folder, 'tokenizer.json')
  const tokenizerSize = sizeOf(tokenizerFile)
  if (sizeOf(tableFile) + tokenizerSize > largestModel) throw unusable(folder, 'has more than 1 GB of model')
  if (tokenizerSize > largestTokenizer) throw unusable(tokenizerFile, 'has more than 64 MB')
  const { tokenizer, tokenCount, unknown } = openTokenizer(tokenizerFile)
  const { addRow, dimensions, rowOf, weightOf } = openTable(tableFile, tokenCount)

  const idsOf = (text: string) => {
    try {
      return tokenizer.encode(text, { add_special_tokens: false }).ids
    } catch (error) {
      throw unusable(tokenizerFile, `cannot take a text apart: ${(error as Error).message}`)
    }
  }
  return {
    dimensions,
    sums(texts, wanted) {
      if (wanted > dimensions)
        throw new EmbeddingFault(
          'dimensions',
          `embeddings.dimensions is ${wanted}, but ${tableFile} has ${dimensions}`,
        )
      const sums = new Float32Array(texts.length * wanted)
      const sum = new Float64Array(wanted)
      let tokens = 0
      for (const [index, text] of texts.entries()) {
        sum.fill(0)
        for (const id of idsOf(text)) {
          // A tokenizer without a token for what is unknown gives no id at all.
          if (id === unknown || !(id < tokenCount)) continue
          addRow(sum, rowOf(id) * dimensions, weightOf(id))
          tokens += 1
        }
        sums.set(sum, index * wanted)
      }
      return { sums, tokens }
    },
  }
}

function sizeOf(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw unusable(file, 'does not exist')
  if (!stats.isFile()) throw unusable(file, 'is not a file')
  return stats.size
}

function openTokenizer(file: string) {
  try {
    const tokenizer = new Tokenizer(JSON.parse(readFileSync(file, 'utf8')) as object, {})
    const { model } = tokenizer
    if (!model) throw new TypeError('it has no model')
    return { tokenizer, tokenCount: model.vocab.length, unknown: model.unk_token_id }
  } catch (error) {
    throw unusable(file, `cannot be used as a tokenizer: ${(error as Error).message}`)
  }
}

/** The vectors of tokens: rows of `embeddings`, which `mapping` may share among tokens and `weights` may weigh. */
function openTable(file: string, tokenCount: number) {
  const tensors = readTensors(file, ['embeddings', 'embedding.weight', 'weights', 'mapping'])
  const table = tensors.get('embeddings') ?? tensors.get('embedding.weight')
  if (!table) throw unusable(file, 'has no tensor "embeddings"')
  const [rows = 0, dimensions = 0] = table.shape
  if (table.shape.length !== 2 || rows === 0 || dimensions === 0)
    throw unusable(file, `has embeddings of the shape ${table.shape.join(' × ')}, not tokens × dimensions`)
  if (!isFiniteTensor(table)) throw unusable(file, 'has embeddings with numbers that are not finite')
  const perToken = (name: string, given: Tensor | undefined) => {
    if (given && given.shape.join() !== String(tokenCount))
      throw unusable(file, `has ${name} of the shape ${given.shape.join(' × ')} for ${tokenCount} tokens`)
    return given && numbersOf(given)
  }
  const mapping = perToken('a mapping', tensors.get('mapping'))
  const weights = perToken('weights', tensors.get('weights'))
  if (!mapping && rows !== tokenCount)
    throw unusable(file, `has ${rows} vectors for the ${tokenCount} tokens of tokenizer.json`)
  if (mapping?.some((row) => !(Number.isInteger(row) && row >= 0 && row < rows)))
    throw unusable(file, `has a mapping to vectors that are not among its ${rows}`)
  if (weights?.some((weight) => !Number.isFinite(weight)))
    throw unusable(file, 'has weights that are not finite')
  return {
    addRow: createAdder(table),
    dimensions,
    rowOf: (id: number) => mapping?.[id] ?? id,
    weightOf: (id: number) => weights?.[id] ?? 1,
  }
}
