import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { bundle } from '../config/bundle.ts'
import { type Bench, less, type Metrics, percentile } from './measure.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const rows = 10_000
const presses = 200
const warmUp = 50
const peer = 'less on as many lines'
/** Between two keys, milliseconds: who holds one down sends about as many. */
const gapMs = 15
/** Between two events of the three tenants, milliseconds. */
const newsMs = 30
/** As often as a screen looks again in an hour in which something happens every two seconds, and until all is warm. */
const looks = { warmUp: 1_200, hour: 1_800 }
const patienceMs = 60_000

/** The terminal with ten thousand rows and news of three tenants: what a key costs, and whether memory stays where it is. */
export const terminal: Bench = {
  name: 'terminal',
  async run() {
    using folder = temporaryFolder()
    // Inside of node_modules, where the two packages that are not bundled are found.
    const cache = fileURLToPath(new URL('../node_modules/.cache/copydesk-bench-terminal/', import.meta.url))
    await bundle(cache)
    await using server = await startSubject('servers/staff.ts', { rows, newsMs }, folder.path)
    const env = { COPYDESK_URL: server.url, COPYDESK_API_KEY: 'any' }
    const ours = await keysOfTerminal([join(cache, 'main.mjs'), 'terminal'], env)
    const lines = join(folder.path, 'lines.txt')
    const text = Array.from({ length: rows }, (_, n) => `  low  1 h  Hearth & Oat  Question ${n}  review`)
    writeFileSync(lines, text.join('\n'))
    const theirs = await keysOfLess(lines)
    const { before, after } = await hourOfNews([join(cache, 'main.mjs'), 'terminal'], env)
    const metrics: Metrics = {}
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const of = (waits: number[]) => percentile(waits, share)
      metrics[`terminal.key.${name}`] = less(of(ours.line), 'ms', peer, of(theirs.line), '16 ms')
      metrics[`terminal.page.${name}`] = less(of(ours.page), 'ms', peer, of(theirs.page), '16 ms')
    }
    return {
      ...metrics,
      'terminal.memory': { value: after, unit: 'MiB after an hour of news' },
      'terminal.growth': { value: after - before, unit: 'MiB in that hour', aim: 'flat' },
    }
  },
}

interface Program extends Disposable {
  press(keys: string): void
  /** Waits for output in which `mark` is found. @returns milliseconds */
  heard(mark: RegExp): Promise<number>
  mebibytes(): number
}

function start(command: string, args: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn(command, [...args], {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    env: { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  })
  let hear: (data: string) => void = () => undefined
  child.onData((data) => hear(data))
  return {
    press: (keys) => child.write(keys),
    heard(mark) {
      const begun = performance.now()
      let seen = ''
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${command} did not show ${mark}`)), patienceMs)
        hear = (data) => {
          seen += data
          if (!mark.test(seen)) return
          hear = () => undefined
          clearTimeout(timer)
          resolve(performance.now() - begun)
        }
      })
    },
    mebibytes: () =>
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1_024,
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  }
}

/** Only what has changed is written, which may be a digit. */
const anything = /[^]/
const down = 'j'
const up = 'k'
const pageDown = '\u001b[6~'
const pageUp = '\u001b[5~'
const end = 'G'

/** Milliseconds from a key to the frame that it changes. */
async function waitsFor(program: Program, keys: readonly [string, string], count: number) {
  const waits: number[] = []
  for (let i = -warmUp; i < count; i += 1) {
    const shown = program.heard(anything)
    program.press(i % 40 < 20 ? keys[0] : keys[1])
    const took = await shown
    if (i >= 0) waits.push(took)
    await wait(gapMs)
  }
  return waits
}

async function keysOfTerminal(args: readonly string[], env: Record<string, string>) {
  using program = start(process.execPath, args, env)
  await program.heard(/approvals waiting/)
  const opened = program.heard(/Question 0/)
  program.press('2')
  await opened
  // The end moves on as more is read; then one is in the midst of all of them.
  for (let i = 0; i < (2 * rows) / 200; i += 1) {
    program.press(end)
    await wait(4 * gapMs)
  }
  program.press(pageUp.repeat(30))
  await wait(10 * gapMs)
  return await linesAndPages(program)
}

async function keysOfLess(file: string) {
  using program = start('less', [file])
  await program.heard(/Question 0/)
  program.press(end)
  await program.heard(anything)
  return await linesAndPages(program)
}

async function linesAndPages(program: Program) {
  const line = await waitsFor(program, [up, down], presses)
  const page = await waitsFor(program, [pageUp, pageDown], presses)
  return { line, page }
}

/** What the program holds before and after as many looks at the server, and frames, as an hour of news has. */
async function hourOfNews(args: readonly string[], env: Record<string, string>) {
  using program = start(process.execPath, args, env)
  await program.heard(/approvals waiting/)
  const look = async () => {
    // The drawings of the tenants' costs: they are others in every answer.
    const shown = program.heard(/[▁-█]/)
    program.press('R')
    await shown
  }
  for (let i = 0; i < looks.warmUp; i += 1) await look()
  const before = program.mebibytes()
  for (let i = 0; i < looks.hour; i += 1) await look()
  return { before, after: program.mebibytes() }
}
