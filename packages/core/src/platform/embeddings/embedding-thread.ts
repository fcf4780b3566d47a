import { serve } from '../threads/serve.ts'
import { type EmbeddingFailure, EmbeddingFault } from './port.ts'
import { openStaticModel, type StaticModel } from './static-model.ts'

interface StaticRequest {
  folder: string
  /** Default: all that the model has. */
  dimensions?: number | undefined
  texts: readonly string[]
}

/** Of the texts one after the other, or what is wrong: of an error, only its message would arrive. */
type StaticAnswer =
  | { sums: Float32Array; dimensions: number; tokens: number }
  | { reason: EmbeddingFailure; message: string }

let opened: { folder: string; model: StaticModel } | undefined

const tasks = {
  embed({ folder, dimensions, texts }: StaticRequest): StaticAnswer {
    try {
      if (opened?.folder !== folder) opened = { folder, model: openStaticModel(folder) }
      const { model } = opened
      const wanted = dimensions ?? model.dimensions
      return { ...model.sums(texts, wanted), dimensions: wanted }
    } catch (error) {
      if (!(error instanceof EmbeddingFault)) throw error
      const { reason, message } = error
      return { reason, message }
    }
  },
}
export type EmbeddingTasks = typeof tasks

// Started as a thread of its own, by the name of its file.
serve(tasks)
