import { parentPort } from 'node:worker_threads'
import { lowerPriority } from './lower-priority.ts'
import { movedWith } from './moving.ts'

/** What a thread can do, by name: each task is a pure function from one cloneable value to another. */
export type Tasks = Record<string, (input: never) => unknown>

/** What a thread is asked for. */
export interface ThreadRequest {
  task: string
  input: unknown
}

/** What a thread answers; an error arrives as a copy that has its name, message and stack. */
export type ThreadReply = { value: unknown } | { error: unknown }

/** Makes this thread do `tasks`, one at a time, in the order in which they are asked for. */
export function serve(tasks: Tasks): void {
  const port = parentPort
  if (!port) throw new Error('This file is the entry of a worker thread and is not imported elsewhere')
  lowerPriority()
  port.on('message', ({ task, input }: ThreadRequest) => {
    const work = async () => {
      const value = await tasks[task]?.(input as never)
      port.postMessage({ value } satisfies ThreadReply, movedWith(value))
    }
    // Also a value that cannot be copied ends here.
    work().catch((error: unknown) => port.postMessage({ error } satisfies ThreadReply))
  })
}
