import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { startOf } from '../../packages/core/src/platform/processes/identity.ts'
import { createProcesses, type ProcessSpec } from '../../packages/core/src/platform/processes/processes.ts'

let folder: string
const make = (platform?: NodeJS.Platform) =>
  createProcesses({ folder, clock: createSystemClock(), log: silentLogger, ...(platform && { platform }) })
const node = process.execPath

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'copydesk-processes-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs a few lines of JavaScript. */
function run(code: string, more: Partial<ProcessSpec> = {}) {
  let output = ''
  const spec: ProcessSpec = {
    name: 'one',
    argv: [node, '-e', code],
    cwd: folder,
    env: {},
    stdin: '',
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    graceMs: () => 0,
    output: (text) => void (output += text),
    ...more,
  }
  return make()
    .run(spec)
    .then((end) => ({ ...end, output }))
}

/** Ended; whether someone has asked yet how is all the same. */
function isGone(pid: number): boolean {
  if (startOf(pid) === undefined) return true
  return process.platform === 'linux' && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').slice(0, 60))
}

async function until(probe: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if (await probe()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`gave up waiting until ${what}`)
}

/** Starts a program that outlives it and prints its process id. */
const withGrandchild = (after: string) => `
  const { spawn } = require('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
  process.stdout.write(String(child.pid) + '\\n', () => { ${after} })`

describe('run', () => {
  it('returns what the program writes and how it ends', async () => {
    const end = await run(
      `process.stdin.on('data', (d) => process.stdout.write(String(d).toUpperCase())).on('end', () => { console.error('bye'); process.exit(3) })`,
      { stdin: 'grüße ✓' },
    )
    expect(end).toEqual({ code: 3, signal: null, output: 'GRÜSSE ✓', stderr: 'bye\n', tooMuch: false })
    expect(await readdir(join(folder, 'processes'))).toEqual([])
  })

  it('accepts that a program does not read a long input', async () => {
    expect(await run('process.exit(0)', { stdin: 'x'.repeat(5_000_000) })).toMatchObject({ code: 0 })
  })

  it('passes the given environment only', async () => {
    const { output } = await run('process.stdout.write(Object.keys(process.env).join())', { env: { A: '1' } })
    expect(output.replace(/,?__CF[^,]*/, '')).toBe('A')
  })

  it('stops a program that writes too much', async () => {
    const end = await run(`for (;;) process.stdout.write('x'.repeat(10_000))`, { maxBytes: 100_000 })
    expect(end).toMatchObject({ tooMuch: true, signal: 'SIGKILL' })
    expect(end.output.length).toBeLessThanOrEqual(100_000)
  })

  it('keeps the end of stderr', async () => {
    const { stderr } = await run(`console.error('x'.repeat(100_000) + 'the end')`)
    expect(stderr.length).toBe(16_384)
    expect(stderr).toMatch(/the end\n$/)
  })

  it('terminates a program, and kills it when it does not end', async () => {
    const stop = new AbortController()
    const polite = await run(
      `process.on('SIGTERM', () => { process.stdout.write('bye', () => process.exit(0)) }); process.stdout.write('up'); setInterval(() => {}, 1000)`,
      { signal: stop.signal, graceMs: () => 60_000, output: () => stop.abort() },
    )
    expect(polite).toMatchObject({ code: 0, signal: null })
    const force = new AbortController()
    const asked: unknown[] = []
    const deaf = await run(
      `process.on('SIGTERM', () => {}); process.stdout.write('up'); setInterval(() => {}, 1000)`,
      {
        signal: force.signal,
        graceMs: (reason) => asked.push(reason) && 50,
        output: () => force.abort('enough'),
      },
    )
    expect(deaf).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect(asked).toEqual(['enough'])
  })

  it('leaves no process of the group behind, whichever started it', async () => {
    const { output, code } = await run(withGrandchild('process.exit(0)'))
    expect(code).toBe(0)
    await until(() => isGone(Number(output)), 'the grandchild is gone')
  })

  it('reports why a program cannot be started', async () => {
    await expect(run('', { argv: [join(folder, 'none')] })).rejects.toMatchObject({ code: 'ENOENT' })
    await writeFile(join(folder, 'plain'), 'no program')
    await expect(run('', { argv: [join(folder, 'plain')] })).rejects.toMatchObject({ code: 'EACCES' })
    const long = run('', { argv: [node, '-e', '0', 'x'.repeat(10_000_000)] })
    await expect(long).rejects.toMatchObject({ code: 'E2BIG' })
    expect(await readdir(join(folder, 'processes')).catch(() => [])).toEqual([])
  })

  it('handles the lack of process groups on Windows', () => {
    expect([make('win32').supported, make('linux').supported, make('darwin').supported]).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('reap', () => {
  const starter = fileURLToPath(new URL('starter.ts', import.meta.url))
  let server: ChildProcess | undefined

  afterEach(() => void server?.kill('SIGKILL'))

  /** Another server that runs a program. @returns the number of a process which that program has started */
  async function serve(code: string): Promise<number> {
    server = spawn(node, ['--conditions=@copydesk/source', starter, folder, 'run.1', node, '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    server.stdout?.on('data', (chunk) => (output += String(chunk)))
    await until(() => output.includes('\n'), 'the program runs')
    return Number(output)
  }
  const kill = async () => {
    const gone = new Promise((resolve) => server?.once('exit', resolve))
    server?.kill('SIGKILL')
    await gone
  }
  const leaderOf = async () =>
    (JSON.parse(await readFile(join(folder, 'processes', 'run.1.json'), 'utf8')) as { pid: number }).pid

  it('stops processes left by a killed server, with their children', async () => {
    const grandchild = await serve(withGrandchild(''))
    const leader = await leaderOf()
    expect(make().reap()).toBe(0)
    await kill()
    expect(isGone(leader) || isGone(grandchild)).toBe(false)
    expect(make().reap()).toBe(1)
    await until(() => isGone(leader) && isGone(grandchild), 'both are gone')
    expect(await readdir(join(folder, 'processes'))).toEqual([])
    expect(make().reap()).toBe(0)
  })

  it('stops the rest of a group whose leader is gone', async () => {
    const grandchild = await serve(withGrandchild(''))
    const leader = await leaderOf()
    await kill()
    process.kill(leader, 'SIGKILL')
    await until(() => isGone(leader), 'the leader is gone')
    expect(isGone(grandchild)).toBe(false)
    expect(make().reap()).toBe(1)
    await until(() => isGone(grandchild), 'the grandchild is gone')
  })

  it('ignores a process that reuses a process id, and those of other machines', async () => {
    const stranger = spawn(node, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    const pid = stranger.pid as number
    await mkdir(join(folder, 'processes'))
    const dead = { pid: 999_999_999, start: 'long ago' }
    const entries = {
      reused: { host: hostname(), pid, start: 'long ago', server: dead },
      elsewhere: { host: 'another', pid, start: startOf(pid), server: dead },
      cut: undefined,
    }
    for (const [name, entry] of Object.entries(entries))
      await writeFile(join(folder, 'processes', `${name}.json`), JSON.stringify(entry) ?? '{"ho')
    expect(make().reap()).toBe(0)
    expect(isGone(pid)).toBe(false)
    expect(await readdir(join(folder, 'processes'))).toEqual(['elsewhere.json'])
    process.kill(pid, 'SIGKILL')
  })
})
