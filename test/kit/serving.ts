import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bundled } from './bundled.ts'
import type { Serving } from './serve.ts'

/** Starts a server in a process of its own. @returns when it answers */
export async function startServing(serving: Serving): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [await bundled('serve')], {
    env: { ...process.env, SERVING: JSON.stringify(serving) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^\d+$/.test(line)) continue
    child.stdout.resume()
    return { child, port: Number(line) }
  }
  throw new Error('the server ended before it answered')
}
