import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { common } from './questions.mjs'

/** Answers the parent's questions. */
export function answer(questions: Record<string, () => unknown> = {}): void {
  const answers: Record<string, () => unknown> = { ...common, ...questions }
  const reply = async (question: string) => process.send?.((await answers[question]?.()) ?? null)
  process.on('message', (question: string) => void reply(question))
}

/** Listens on a free port, tells it to the parent, and answers the parent's questions. */
export function listen(
  handler: (req: IncomingMessage, res: ServerResponse) => unknown,
  questions?: Record<string, () => unknown>,
): void {
  answer(questions)
  const server = createServer((req, res) => void handler(req, res))
  // On a busy machine a connection would be given up while its next request is on its way.
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', 16_384, () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  )
}

/** Runs `work` and waits until it has been told of: the longest time in which the loop did nothing else, milliseconds. */
export async function stallOf(work: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // What happens before its first tick is not seen.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await work()
  await new Promise((resolve) => setTimeout(resolve, 500))
  delay.disable()
  return delay.max / 1e6
}

export const settings = <T>(): T => JSON.parse(process.argv[2] ?? '{}') as T
