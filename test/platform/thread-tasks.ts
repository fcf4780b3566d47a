import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { threadId } from 'node:worker_threads'
import { serve } from '../../packages/core/src/platform/threads/serve.ts'

const tasks = {
  echo: (value: unknown) => value,
  fail: (message: string) => {
    throw new TypeError(message)
  },
  /** Waits for a message by shared memory, so that a test decides when it ends. */
  wait: (gate: Int32Array) => Atomics.wait(gate, 0, 0),
  spin: () => {
    for (;;);
  },
  fill: () => {
    const all: number[][] = []
    for (;;) all.push(Array.from({ length: 10_000 }, (_, index) => index))
  },
  function: () => () => 1,
  thread: () => threadId,
  priority: () => getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))),
  exit: (code: number) => process.exit(code),
}
export type TestTasks = typeof tasks

serve(tasks)
