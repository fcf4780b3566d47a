import type { Assembled } from './assemble.ts'
import type { Worker } from './worker.ts'

type Groups = Record<string, Record<string, (...args: never[]) => Promise<unknown>>>

/** Functions in groups, whose code is loaded when the first of them is called. */
export function calledLater<G extends { [K in keyof G]: Groups[string] }>(load: () => Promise<G>): G {
  let loading: Promise<G> | undefined
  const call =
    (group: keyof G, name: string) =>
    async (...args: never[]) => {
      const groups = await (loading ??= load())
      return groups[group][name]?.(...args)
    }
  const groupOf = (group: keyof G) =>
    new Proxy({}, { get: (_, name) => (typeof name === 'string' ? call(group, name) : undefined) })
  return new Proxy({} as G, {
    get: (_, group) => (typeof group === 'string' ? groupOf(group as keyof G) : undefined),
  })
}

/** Loads what goes by the joins of the services, after these. */
export function afterJoins<T>(assembled: Assembled, load: () => Promise<T>): () => Promise<T> {
  return async () => {
    await assembled.join()
    return load()
  }
}

/** The work on jobs and runs, whose code is loaded when it begins. */
export function workLater(assembled: Assembled): { begin(): Promise<void>; stop(): Promise<void> } {
  const { worker: settings = { concurrency: 4 } } = assembled.options
  let working: Promise<Worker> | undefined
  let stopped = false
  const start = async (how: Exclude<typeof settings, false>) => {
    const { createWorker } = await import('./worker.ts')
    await assembled.join()
    const worker = createWorker(assembled, how)
    await worker.start()
    return worker
  }
  return {
    async begin() {
      if (settings !== false && !stopped) await (working ??= start(settings))
    },
    async stop() {
      stopped = true
      // One that could not begin has said so to who asked for it.
      const worker = await working?.catch(() => undefined)
      await worker?.stop()
    },
  }
}
