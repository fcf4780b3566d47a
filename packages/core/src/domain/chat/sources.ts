import type { KnowledgeResult } from '../knowledge/search/schemas.ts'
import type { ChatSource } from './schemas.ts'

/** How many chunks an answer may be given; each has a number that means it to the end of the answer. */
const mostSources = 20

/** What was found for one answer, by number from 1. */
export interface Sources {
  /** Numbers what was found; a chunk that was found before keeps its number. What is too many is left out. */
  add(results: readonly KnowledgeResult[]): ChatSource[]
  has(n: number): boolean
  /** In the order of the numbers. */
  pick(numbers: ReadonlySet<number>): ChatSource[]
  /** The files of all that was found. */
  fileIds(): string[]
}

export function createSources(): Sources {
  const found = new Map<string, ChatSource>()
  return {
    add(results) {
      return results.flatMap((result) => {
        const known = found.get(result.chunkId)
        if (known) return [known]
        if (found.size >= mostSources) return []
        const source = toSource(result, found.size + 1)
        found.set(result.chunkId, source)
        return [source]
      })
    },
    has: (n) => n >= 1 && n <= found.size,
    pick: (numbers) => [...found.values()].filter(({ n }) => numbers.has(n)),
    fileIds: () => [...new Set([...found.values()].map(({ fileId }) => fileId))],
  }
}

function toSource(result: KnowledgeResult, n: number): ChatSource {
  const { chunkId, fileId, fileName, datasetId, content, metadata } = result
  const { pageNumber, heading, url } = metadata
  return {
    n,
    chunkId,
    fileId,
    fileName,
    datasetId,
    content,
    ...(pageNumber !== undefined && { page: pageNumber }),
    ...(heading !== undefined && { heading }),
    ...(url !== undefined && { url }),
  }
}
