import { parentPort } from 'node:worker_threads'
import type { WriteRequest } from '../../packages/core/src/platform/database/write-thread.ts'

// The thread that writes, which ends or hangs where a statement says so. Heard before the thread itself hears of it.
parentPort?.on('message', (requests: WriteRequest[]) => {
  for (const { text, act } of requests) {
    if (text.includes('and end') || (act === 'commit' && dies)) process.exit(3)
    dies ||= text.includes('end with the commit')
    while (text.includes('and hang'));
  }
})
let dies = false

await import('../../packages/core/src/platform/database/write-thread.ts')
