import { createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { createEmbedder } from '../../../packages/core/src/platform/embeddings/embedder.ts'
import type { Embedder } from '../../../packages/core/src/platform/embeddings/port.ts'
import { f32, modelFolder, safetensors, type TestTensor, wordPiece } from './static-files.ts'

export const vocabulary = ['[PAD]', '[UNK]', 'good', 'bread', '##s', 'rye']
/** A vector for each token, three dimensions. */
export const rows = [
  [9, 9, 9],
  [7, 7, 7],
  [1, 0, 0],
  [0, 2, 0],
  [0, 0, 2],
  [3, 4, 0],
]
export const table = f32([6, 3], rows.flat())
export const files = (
  tensors: Record<string, TestTensor> = { embeddings: table },
  tokenizer = wordPiece(vocabulary),
) => ({
  'model.safetensors': safetensors(tensors),
  'tokenizer.json': tokenizer,
})
export const query = { purpose: 'query' } as const

/** An embedder over a folder with these files; disposing of it removes both. */
export function harness(content: Record<string, string | Uint8Array>, dimensions?: number) {
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
