import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { dependencyFaults } from './dependencies.ts'
import { sourceFaults } from './source-rules.ts'

/**
 * Everything that has to pass before a change is kept, in the order in which it fails fastest. Stops at the first step
 * that fails, with exit code 1. `npm test` runs it; words after it (`npm test -- types lint`) name the steps to run.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

interface Step {
  name: string
  title: string
  /** A command whose output is shown as it comes, or a check that returns what it found wrong. */
  run: readonly string[] | (() => readonly string[])
  /** Lines of its output that are said again at the very end. */
  repeat?: RegExp
}

const steps: readonly Step[] = [
  { name: 'format', title: 'format (biome)', run: ['biome', 'format', '--config-path=config'] },
  {
    name: 'lint',
    title: 'lint (oxlint, type-aware)',
    run: ['oxlint', '--config=config/oxlint.json', '--tsconfig=config/tsconfig.json', '--deny-warnings'],
  },
  { name: 'rules', title: 'source rules (raw SQL, layers)', run: () => sourceFaults(root) },
  { name: 'types', title: 'types (tsc)', run: ['tsc', '-p', 'config/tsconfig.json'] },
  { name: 'dead', title: 'dead code (knip)', run: ['knip', '--config=config/knip.json'] },
  { name: 'deps', title: 'dependencies (no install scripts)', run: () => dependencyFaults(root) },
  { name: 'build', title: 'build (rolldown)', run: ['node', 'config/build.ts'] },
  {
    name: 'tests',
    title: 'tests (vitest)',
    run: ['vitest', 'run', '--config=config/vitest.config.ts'],
    repeat: /^(?:databases: |postgresql: NOT tested|redis: )/,
  },
]

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !steps.some((step) => step.name === name))
if (unknown) {
  console.error(`There is no step "${unknown}". Steps: ${steps.map((step) => step.name).join(', ')}.`)
  process.exit(2)
}

const chosen = steps.filter((step) => wanted.length === 0 || wanted.includes(step.name))
const done: string[] = []
const repeated: string[] = []
for (const step of chosen) {
  console.log(`\n== ${step.title}`)
  const start = performance.now()
  const passed = await perform(step)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`== ${step.title}: ${passed ? 'ok' : 'FAILED'}, ${seconds} s`)
  if (!passed) process.exit(1)
  done.push(step.name)
}
for (const line of repeated) console.log(line)
console.log(`\nEverything passed: ${done.join(', ')}.`)

/** @returns true when the step found nothing wrong */
async function perform(step: Step): Promise<boolean> {
  if (typeof step.run === 'function') {
    const faults = step.run()
    for (const fault of faults) console.log(fault)
    return faults.length === 0
  }
  const [command = '', ...args] = step.run
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  })
  let tail = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    if (!step.repeat) return
    const lines = (tail + chunk.toString()).split('\n')
    tail = lines.pop() ?? ''
    repeated.push(...lines.filter((line) => step.repeat?.test(line)))
  })
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.log(`${command} could not be started: ${error.message}`)
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
}
