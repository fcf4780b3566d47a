import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ChangedTests, changedTests } from './changed.ts'
import { type ChangedEndpoints, patternFor } from './changed-endpoints.ts'
import { commitFaults } from './commits.ts'
import { dependencyFaults } from './dependencies.ts'
import { sizeNotice } from './sizes.ts'
import { sourceFaults } from './source-rules.ts'

/**
 * Everything that has to pass before a change is kept: checks of the source, two at a time, then the tests. Stops at the first
 * step that fails, with exit code 1. `npm test` runs it; words after it (`npm test -- types lint`) name the steps to run.
 * `npm test -- changed [REVISION]` runs what the uncommitted change (or what came since the revision) can have broken, in
 * about a minute: rules of the whole, format and lint of the changed files, the tests nearest to them, and the tests of every
 * endpoint for the endpoints behind them.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

interface Step {
  name: string
  title: string
  /** A command, or a check that returns what it found wrong. */
  run: readonly string[] | (() => readonly string[])
  /** A line to be shown though nothing is wrong. */
  notice?: () => string | undefined
  /** Variables of its environment beside those of this process. */
  env?: Record<string, string>
  /** Lines of its output that are said again at the very end. */
  repeat?: RegExp
}

const steps: readonly Step[] = [
  {
    name: 'lint',
    title: 'lint (oxlint, type-aware)',
    run: ['oxlint', '--config=config/oxlint.json', '--tsconfig=config/tsconfig.json', '--deny-warnings'],
  },
  {
    name: 'format',
    title: 'format and order of imports (biome)',
    run: ['biome', 'check', '--config-path=config'],
  },
  {
    name: 'rules',
    title: 'source rules (raw SQL, layers, names, sizes)',
    run: () => sourceFaults(root),
    notice: () => sizeNotice(root),
  },
  {
    name: 'types',
    title: 'types (tsc)', // More checkers work out the same types again: half as fast on two cores, and twice the memory.
    run: ['tsc', '-p', 'config/tsconfig.json', '--checkers', '1'],
  },
  { name: 'dead', title: 'dead code (knip)', run: ['knip', '--config=config/knip.json'] },
  { name: 'commits', title: 'form of the commits', run: () => commitFaults(root) },
  { name: 'deps', title: 'dependencies (no install scripts)', run: () => dependencyFaults(root) },
  // No one but a release asks for the declarations of the libraries: what is inferred may have none.
  {
    name: 'build',
    title: 'build (rolldown), libraries (tsc, publint)',
    run: ['npm', 'run', '--silent', 'build:all'],
  },
  {
    name: 'tests',
    title: 'tests (vitest)',
    run: ['vitest', 'run', '--config=config/vitest.config.ts'],
    repeat:
      /^(?:databases: |postgresql: NOT tested|(?:pgbouncer|pgvector|power cuts|libreoffice|wordpress): NOT tested|redis: )/,
  },
]

const wanted = process.argv.slice(2)
const change = wanted[0] === 'changed' ? findChange(wanted[1]) : undefined
if (change) wanted.length = 0
const unknown = wanted.find((name) => !steps.some((step) => step.name === name))
if (unknown) {
  console.error(`There is no step "${unknown}". Steps: ${steps.map((step) => step.name).join(', ')}.`)
  process.exit(2)
}

const chosen = change
  ? stepsFor(change)
  : steps.filter((step) => wanted.length === 0 || wanted.includes(step.name))
const done: string[] = []
const repeated: string[] = []
const isTests = ({ name }: Step) => name === 'tests' || name === 'endpoints'
// Two at a time: most of them keep one processor busy. The tests need the whole machine.
const quick = chosen.filter((step) => !isTests(step))
await Promise.all([work(quick), work(quick)])
await work(chosen.filter(isTests))
for (const line of repeated) console.log(line)
console.log(`\nEverything passed: ${done.join(', ')}.`)

/** Takes steps from the list until it is empty. Ends the process when one fails. */
async function work(list: Step[]): Promise<void> {
  for (let step = list.shift(); step; step = list.shift()) {
    if (isTests(step)) console.log(`\n== ${step.title}`)
    const start = performance.now()
    const { passed, output } = await perform(step)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${output}== ${step.title}: ${passed ? 'ok' : 'FAILED'}, ${seconds} s`)
    if (!passed) process.exit(1)
    done.push(step.name)
  }
}

function findChange(base: string | undefined): ChangedTests {
  try {
    return changedTests(root, base)
  } catch (error) {
    console.error(`The change cannot be found: ${(error as Error).message}`)
    process.exit(2)
  }
}

/** The steps of a change: no build, no types of the whole, and tests on SQLite unless the databases differ in it. */
function stepsFor(change: ChangedTests): Step[] {
  const { changed, chosen: tests, left, bothDatabases, endpoints } = change
  if (changed.length === 0) return []
  const sources = changed.filter((file) => /\.(?:ts|tsx|mjs)$/.test(file))
  const narrowed: Step[] = []
  for (const step of steps) {
    if (step.name === 'rules' || step.name === 'deps') narrowed.push(step)
    if (sources.length > 0 && Array.isArray(step.run) && (step.name === 'format' || step.name === 'lint'))
      narrowed.push({ ...step, run: [...step.run, ...sources] })
    if (step.name !== 'tests' || !Array.isArray(step.run) || tests.length === 0) continue
    narrowed.push({
      ...step,
      title: `tests (vitest): ${tests.length} files near the change, ${left} more are reached by it`,
      run: [...step.run, ...tests],
      env: bothDatabases ? {} : { COPYDESK_TEST_DB: 'sqlite' },
    })
  }
  return endpoints.length > 0 ? [...narrowed, endpointStep(change)] : narrowed
}

/** The tests that are generated for every endpoint, for some of them. */
function endpointStep({ endpoints, endpointsLeft }: ChangedEndpoints): Step {
  const vitest = ['vitest', 'run', '--config=config/vitest.config.ts', 'test/surfaces/every-endpoint']
  return {
    name: 'endpoints',
    title: `tests of every endpoint (vitest): ${endpoints.length} behind the change, ${endpointsLeft} more are reached by it`,
    run: [...vitest, '--testNamePattern', patternFor(endpoints)],
    env: { COPYDESK_TEST_DB: 'sqlite' },
  }
}

/** @returns whether the step found nothing wrong, and what it printed unless that was shown as it came */
async function perform(step: Step): Promise<{ passed: boolean; output: string }> {
  if (typeof step.run === 'function') {
    const faults = step.run()
    const notice = step.notice?.()
    const lines = notice ? [...faults, notice] : faults
    return { passed: faults.length === 0, output: lines.map((line) => `${line}\n`).join('') }
  }
  const [command = '', ...args] = step.run
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, ...step.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  })
  let output = ''
  let tail = ''
  const show = (chunk: Buffer) => {
    if (!isTests(step)) output += chunk.toString()
    else process.stdout.write(chunk)
    if (!step.repeat) return
    const lines = (tail + chunk.toString()).split('\n')
    tail = lines.pop() ?? ''
    repeated.push(...lines.filter((line) => step.repeat?.test(line)))
  }
  child.stdout.on('data', show)
  child.stderr.on('data', show)
  return new Promise((resolve) => {
    child.on('error', (error) => {
      resolve({ passed: false, output: `${command} could not be started: ${error.message}\n` })
    })
    child.on('close', (code) => resolve({ passed: code === 0, output }))
  })
}
