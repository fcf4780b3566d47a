import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, interleave, less } from './measure.ts'
import { temporaryFolder } from './processes.ts'

const root = dirname(import.meta.dirname)
const restMs = 5_000
const bareNode = 'bare node, one handler'
const bareInstall = 'its two binary dependencies alone'

/** The packed app as an operator gets it: what npm fetches, and what starting it costs on a database that is set up. */
export const start: Bench = {
  name: 'start',
  async run() {
    using folder = temporaryFolder()
    const tarball = pack(folder.path)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const binaries = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
    const installed = await interleave(3, {
      ours: () => install(join(folder.path, 'ours'), [tarball]),
      theirs: () => install(join(folder.path, 'theirs'), binaries),
    })
    const copydesk = [join(folder.path, 'ours/node_modules/copydesk/bin/copydesk.mjs')]
    const data = ['--json', '--data-dir', join(folder.path, 'data'), '--port', '0']
    await begin([...copydesk, 'up', ...data])
    const started = await interleave(7, {
      ours: () => begin([...copydesk, 'serve', ...data]),
      theirs: () => begin([fileURLToPath(new URL('peers/node-ready.mjs', import.meta.url))]),
    })
    const { ours, theirs } = started
    return {
      'start.cold': less(ours.ready, 'ms to the first answer', bareNode, theirs.ready, '500 ms'),
      'start.memory': less(ours.mebibytes, 'MiB at rest', bareNode, theirs.mebibytes, '120 MB'),
      'start.size': less(installed.ours.mebibytes, 'MiB installed', bareInstall, installed.theirs.mebibytes),
      'start.install': less(installed.ours.seconds, 's to install', bareInstall, installed.theirs.seconds),
    }
  },
}

/** @returns the path of the packed app */
function pack(folder: string): string {
  const told = npm(['pack', '--json', '--pack-destination', folder], root)
  const [packed] = Object.values(
    JSON.parse(told.slice(told.search(/^[[{]/m))) as Record<string, { filename: string }>,
  )
  return join(folder, packed?.filename ?? '')
}

async function install(folder: string, packages: readonly string[]) {
  execFileSync('rm', ['-rf', folder])
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const begun = performance.now()
  npm(['install', '--no-audit', '--no-fund', ...packages], folder)
  return {
    seconds: (performance.now() - begun) / 1_000,
    mebibytes: sizeOf(join(folder, 'node_modules')) / 2 ** 20,
  }
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true })
  return files.reduce(
    (sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0),
    0,
  )
}

/** Starts a program that prints its URL as JSON: milliseconds to its first healthy answer, and what it holds at rest. */
async function begin(args: readonly string[]) {
  const begun = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.join(' ')} ended with ${code}`)
  })
  gone.catch(() => undefined)
  const [line] = (await Promise.race([once(child.stdout, 'data'), gone])) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  const { status } = await fetch(`${url}/health/ready`)
  const ready = performance.now() - begun
  if (status !== 200) throw new Error(`${args.join(' ')} answered ${status}`)
  await new Promise((resolve) => setTimeout(resolve, restMs))
  const kibibytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' }))
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  return { ready, mebibytes: kibibytes / 1_024 }
}
