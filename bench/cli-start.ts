import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createCopydesk } from '@copydesk/core'
import { bundle } from '../config/bundle.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { type Installation, installationIn, seed } from './installation.ts'
import { type Bench, interleave, less } from './measure.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const rounds = 15
const peer = 'node -e with one fetch'
/** Inside of node_modules, where the packages that are not bundled are found. */
const program = join(import.meta.dirname, '../node_modules/.cache/copydesk-bench')
const fetching = `fetch(process.env.COPYDESK_URL + '/cli/v1/status', { headers: { authorization: 'ApiKey ' + process.env.COPYDESK_API_KEY } })
  .then((response) => response.text())
  .then((text) => process.stdout.write(text))`

/** From the start of `copydesk status --json` to its end, beside the shortest program that asks the same. */
export const cliStatus: Bench = {
  name: 'cli.status',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { reviewerIds } = await seed(installation, { approvals: 3, reviewers: 1 })
    const key = await keyFor(installation, reviewerIds[0] ?? '')
    await bundle(program)
    try {
      await using server = await startSubject('servers/copydesk.ts', installation, folder.path)
      const env = { HOME: folder.path, COPYDESK_URL: server.url, COPYDESK_API_KEY: key }
      const main = join(program, 'main.mjs')
      // What has been compiled once is kept, as on every machine where it is used more than once.
      await run([main, 'status', '--json'], env)
      const { ours, theirs } = await interleave(rounds, {
        ours: () => run([main, 'status', '--json'], env),
        theirs: () => run(['-e', fetching], env),
      })
      return { 'cli.status': less(ours.ms, 'ms from start to end', peer, theirs.ms, '250 ms') }
    } finally {
      rmSync(program, { recursive: true, force: true })
    }
  },
}

async function keyFor(installation: Installation, userId: string): Promise<string> {
  const copydesk = await createCopydesk({ ...installation, log: silentLogger, worker: false })
  try {
    return (await copydesk.asSystem().apiKeys.create({ userId, name: 'Shell' })).key
  } finally {
    await copydesk.stop()
  }
}

/** @throws Error when the program fails or prints something else than the status */
async function run(args: readonly string[], env: Record<string, string>): Promise<{ ms: number }> {
  const begun = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  const [code] = (await once(child, 'close')) as [number]
  const ms = performance.now() - begun
  const { totals } = JSON.parse(text) as { totals: { pendingApprovals: number } }
  if (code !== 0 || totals.pendingApprovals !== 3) throw new Error(`${args[0]} ended with ${code}: ${text}`)
  return { ms }
}
