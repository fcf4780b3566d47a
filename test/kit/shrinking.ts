import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What making one image smaller took in a process of its own, beside what it takes there for a small one. */
export interface Shrinking {
  /** Processor time of all threads, seconds. */
  cpuS: number
  /** By how much the memory that the process holds grew at most, MiB. */
  memoryMiB: number
  /** Whether there is a smaller image; without one the image is served in its own size. */
  made: boolean
}

/** @param how `as a server does`, or with sharp alone, which has no limits */
export async function measureShrinking(
  path: string,
  how: 'as a server does' | 'by sharp alone' = 'as a server does',
): Promise<Shrinking> {
  const program = fileURLToPath(new URL('shrinking-process.ts', import.meta.url))
  const child = fork(program, [path, how], {
    execArgv: ['--conditions=@copydesk/source'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const [told] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])])
  await exited
  if (told === undefined) throw new Error(`The process for ${path} ended without an answer`)
  return told as Shrinking
}
