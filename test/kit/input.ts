import type { SeededInstance } from './seeded-instance.ts'

/** What an endpoint is asked with. */
export interface Input {
  params: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}

/** Inputs that schemas and names alone do not lead to, by the ids of endpoints. */
export type InputExamples = Readonly<
  Record<string, (instance: SeededInstance) => Partial<Input> | Partial<Input>[]>
>
