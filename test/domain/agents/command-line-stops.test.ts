import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOf } from '../../../packages/core/src/platform/processes/identity.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type CommandHarness, createCommandHarness, script } from '../../kit/command-harness.ts'

/** Writes something, and then never ends by itself. */
const endless = script(`process.stdout.write('I begin'); setInterval(() => {}, 1000)`)
/** The same, and does not listen when it is asked to end. */
const deaf = script(
  `process.on('SIGTERM', () => {}); process.stdout.write('I begin'); setInterval(() => {}, 1000)`,
)

const place = ({ app }: CommandHarness) => join(app.options.dataDir, 'agents', 'processes')

/** The program of the run in progress, once it has begun to write. */
async function atWork(harness: CommandHarness, step = () => {}): Promise<number> {
  await harness.app.until(async () => {
    step()
    return harness.app.db.sql.get('select run_id from run_deltas')
  }, 'the program writes')
  const [file = ''] = await harness.folder('processes')
  return (JSON.parse(await readFile(join(place(harness), file), 'utf8')) as { pid: number }).pid
}

const isThere = (pid: number) => startOf(pid) !== undefined

describe('a command-line agent', () => {
  it('is stopped when its time is over, and the run is retried', async () => {
    const clock = createTestClock()
    await using harness = await createCommandHarness({ endless }, { clock })
    await harness.use('endless', { timeoutSec: 10 })
    await harness.order()
    const pid = await atWork(harness, () => clock.advance(100))
    const run = harness.ended()
    await harness.app.until(async () => {
      clock.advance(500)
      return !isThere(pid)
    }, 'the program has ended')
    expect(await run).toMatchObject({
      status: 'timeout',
      error: 'The run took longer than its agent may',
      error_family: 'transient',
    })
  })

  it('is killed when it does not stop within the grace period of its agent', async () => {
    const clock = createTestClock()
    await using harness = await createCommandHarness({ deaf }, { clock })
    await harness.use('deaf', { timeoutSec: 10, graceSec: 20 })
    await harness.order()
    const pid = await atWork(harness, () => clock.advance(100))
    const { deadline } =
      (await harness.app.db.sql.get<{ deadline: string }>('select deadline from runs')) ?? {}
    await harness.app.until(async () => {
      clock.advance(250)
      return !isThere(pid)
    }, 'the program has ended')
    expect(clock.now() - new Date(deadline ?? '').getTime()).toBeGreaterThanOrEqual(20_000)
    expect(await harness.ended()).toMatchObject({ status: 'timeout' })
  })

  it('is stopped when its activity is reassigned', async () => {
    await using harness = await createCommandHarness(
      { endless },
      { worker: { concurrency: 2, leaseMs: 300 } },
    )
    await harness.order()
    const pid = await atWork(harness)
    await harness.app.db.write((tx) => tx.run('update runs set cancel_requested = ?', [true]))
    expect(await harness.ended()).toMatchObject({ status: 'failed', error: 'Stopped by a person' })
    expect(isThere(pid)).toBe(false)
  })

  it('is stopped when the server stops, and its run continues on another server', async () => {
    await using harness = await createCommandHarness(
      { endless },
      { worker: { concurrency: 1, leaseMs: 1_000 } },
    )
    await harness.order()
    const pid = await atWork(harness)
    await harness.app.copydesk.stop()
    expect(isThere(pid)).toBe(false)
    expect(await harness.folder('work')).toEqual([])
    expect(await harness.folder('kept')).toEqual([])
    const run = await harness.app.db.sql.get<{ status: string }>('select status from runs')
    expect(run?.status).toBe('running')
    const quick = { endless: script(`process.stdout.write('I end')`) }
    await harness.app.another({ commands: quick })
    expect(await harness.ended()).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('fails its run when its output exceeds the limit', async () => {
    const flood = script(`for (;;) process.stdout.write('x'.repeat(1000))`, { maxOutputBytes: 50_000 })
    await using harness = await createCommandHarness({ flood })
    await harness.order()
    expect(await harness.ended()).toMatchObject({
      status: 'failed',
      error: 'The command wrote more than it may',
      error_family: 'invalid',
    })
  })

  it('that an earlier server has left running is stopped when the next one starts', async () => {
    await using harness = await createCommandHarness({ endless })
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached: true,
      stdio: 'ignore',
    })
    const pid = left.pid as number
    const ended = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)))
    await mkdir(place(harness), { recursive: true })
    const entry = { host: hostname(), pid, start: startOf(pid), server: { pid: 999_999_999, start: 'gone' } }
    await writeFile(join(place(harness), 'run.1.json'), JSON.stringify(entry))
    await harness.app.another({ worker: false })
    expect(await ended).toBe('SIGKILL')
  })
})
