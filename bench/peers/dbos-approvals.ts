import { createRequire } from 'node:module'
import { join } from 'node:path'
import { answer, settings } from '../servers/answer.ts'

/** What is used of the SDK, which is not a dependency of this repository. */
interface Dbos {
  setConfig(config: object): void
  launch(): Promise<void>
  registerWorkflow<A extends unknown[], R>(
    run: (...given: A) => Promise<R>,
    config: object,
  ): (...given: A) => Promise<R>
  runStep<R>(step: () => Promise<R>, config: { name: string }): Promise<R>
  startWorkflow<A extends unknown[], R>(
    workflow: (...given: A) => Promise<R>,
  ): (...given: A) => Promise<{ workflowID: string; getResult(): Promise<R> }>
  send(workflow: string, message: string, topic: string): Promise<void>
  recv(topic: string, seconds: number): Promise<string | null>
}

const { app, database } = settings<{ app: string; database: string }>()
const { DBOS } = createRequire(join(app, 'package.json'))('@dbos-inc/dbos-sdk') as { DBOS: Dbos }

/** A piece of work: a text is written, a person decides, and what follows is done. */
const piece = DBOS.registerWorkflow(
  async (number: number) => {
    const text = await DBOS.runStep(async () => `Piece ${number} of the bakery Hearth & Oat`, {
      name: 'write',
    })
    const verdict = await DBOS.recv('verdict', 600)
    return DBOS.runStep(async () => ({ text, verdict }), { name: 'finish' })
  },
  { name: 'piece' },
)
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: database, systemDatabasePoolSize: 20, logLevel: 'error' })
await DBOS.launch()

const atOnce = 8

/** Starts so many, lets each be decided on, and waits until all are done: how many were approved, and the seconds. */
async function measure(pieces: number) {
  const begun = performance.now()
  const rest = Array.from({ length: pieces }, (_, number) => number)
  const results: Promise<{ verdict: string | null }>[] = []
  const decide = async () => {
    for (let number = rest.shift(); number !== undefined; number = rest.shift()) {
      const handle = await DBOS.startWorkflow(piece)(number)
      await DBOS.send(handle.workflowID, 'approved', 'verdict')
      results.push(handle.getResult())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, decide))
  const ended = await Promise.all(results)
  return {
    approved: ended.filter(({ verdict }) => verdict === 'approved').length,
    seconds: (performance.now() - begun) / 1_000,
  }
}

answer({ 'measure.20': () => measure(20), 'measure.200': () => measure(200) })
process.send?.({ port: 0 })
