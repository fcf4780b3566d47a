import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { createBree } from '../../packages/core/src/platform/threads/bree.ts'
import { createThreads, threadFile } from '../../packages/core/src/platform/threads/pool.ts'
import type { ThreadOptions, Threads } from '../../packages/core/src/platform/threads/threads.ts'
import { temporaryFolder } from '../cli/process.ts'
import type { TestTasks } from './thread-tasks.ts'

function harness(changes: Partial<ThreadOptions> = {}): Threads<TestTasks> & AsyncDisposable {
  const threads = createThreads<TestTasks>({
    file: threadFile('thread-tasks', import.meta.url),
    threads: 2,
    keepMs: 60_000,
    memoryMb: 32,
    deadlineMs: 60_000,
    maxWaiting: 10,
    ...changes,
  })
  return { ...threads, [Symbol.asyncDispose]: threads.close }
}

const by = (owner: string, maxWaiting = 10) => ({ owner, maxWaiting })

/** A task that is running until it is let go. */
function gate() {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  return {
    shared,
    open() {
      Atomics.store(shared, 0, 1)
      Atomics.notify(shared, 0)
    },
  }
}

const bree = createBree({ log: silentLogger })
afterAll(bree.stop)

const kinds: Array<[string, Partial<ThreadOptions>]> = [
  ['kept', { keepMs: 60_000 }],
  ['one for each task', { keepMs: 0 }],
  ['one for each task, started by Bree', { keepMs: 0, start: bree.startThread }],
]

describe.each(kinds)('worker threads, %s', (_, kind) => {
  it('return the result of a task, and throw its error', async () => {
    await using threads = harness(kind)
    const value = { text: 'ä', list: [1, null], bytes: new Uint8Array([1]) }
    expect(await threads.run('echo', value, by('a'))).toEqual(value)
    await expect(threads.run('fail', 'no', by('a'))).rejects.toMatchObject({
      name: 'TypeError',
      message: 'no',
    })
    await expect(threads.run('function', undefined as never, by('a'))).rejects.toThrow(/cloned/)
    expect(await threads.run('echo', 1, by('a'))).toBe(1)
  })

  it.runIf(process.platform === 'linux')('leave the processor to the thread that started them', async () => {
    await using threads = harness(kind)
    const own = getPriority()
    expect(await threads.run('priority', undefined as never, by('a'))).toBe(own + 10)
    expect(getPriority()).toBe(own)
  })

  it('do not block the event loop while a task is running', async () => {
    await using threads = harness(kind)
    const one = gate()
    const work = threads.run('wait', one.shared, by('a'))
    // A loop that the task held up would not get to open its gate.
    setImmediate(one.open)
    expect(await work).toMatch(/ok|not-equal/)
  })

  it('end a task that exceeds the deadline, and no other', async () => {
    await using threads = harness({ ...kind, deadlineMs: 2_000 })
    const stuck = threads.run('spin', undefined as never, by('a'))
    expect(await threads.run('echo', 1, by('b'))).toBe(1)
    await expect(stuck).rejects.toMatchObject({ reason: 'deadline' })
    expect(await threads.run('echo', 2, by('a'))).toBe(2)
  })

  it('recover from a task that exceeds its memory, or ends its thread', async () => {
    await using threads = harness(kind)
    await expect(threads.run('fill', undefined as never, by('a'))).rejects.toMatchObject({ reason: 'died' })
    await expect(threads.run('exit', 3, by('a'))).rejects.toMatchObject({ reason: 'died' })
    expect(await threads.run('echo', 1, by('a'))).toBe(1)
  })
})

describe('a kept worker thread', () => {
  it('does one task after the other, and ends when it is given none for a while', async () => {
    const threadOf = (threads: Threads<TestTasks>) => threads.run('thread', undefined as never, by('a'))
    await using kept = harness()
    expect(await threadOf(kept)).toBe(await threadOf(kept))
    await using threads = harness({ keepMs: 1 })
    const first = await threadOf(threads)
    await expect.poll(() => threadOf(threads), { timeout: 15_000 }).not.toBe(first)
  })
})

describe('the queue of worker threads', () => {
  it('runs one task of an owner at a time, in parallel to those of others', async () => {
    await using threads = harness()
    const one = gate()
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const all = [
      threads.run('wait', one.shared, by('a')).then(note('a1')),
      threads.run('echo', 1, by('a')).then(note('a2')),
      threads.run('echo', 1, by('b')).then(note('b1')),
      threads.run('echo', 1, by('b')).then(() => one.open()),
    ]
    await Promise.all(all)
    expect(ended).toEqual(['b1', 'a1', 'a2'])
  })

  it('rejects tasks beyond the limit of an owner, or of all, and accepts more once there is room', async () => {
    await using threads = harness({ threads: 1, maxWaiting: 3 })
    const one = gate()
    const work = threads.run('wait', one.shared, by('a'))
    const second = threads.run('echo', 2, by('a', 1))
    await expect(threads.run('echo', 3, by('a', 1))).rejects.toMatchObject({ reason: 'full' })
    const others = [threads.run('echo', 4, by('b')), threads.run('echo', 5, by('c'))]
    await expect(threads.run('echo', 6, by('d'))).rejects.toMatchObject({ reason: 'full' })
    one.open()
    await work
    expect(await Promise.all([second, ...others])).toEqual([2, 4, 5])
    expect(await threads.run('echo', 7, by('a', 1))).toBe(7)
  })

  it('stops a task when its signal is aborted, running or queued', async () => {
    await using threads = harness({ threads: 1 })
    const signals = [new AbortController(), new AbortController(), new AbortController()] as const
    signals[2].abort()
    const tasks = [
      threads.run('spin', undefined as never, { ...by('a'), signal: signals[0].signal }),
      threads.run('echo', 1, { ...by('b'), signal: signals[1].signal }),
      threads.run('echo', 1, { ...by('c'), signal: signals[2].signal }),
    ]
    const refused = tasks.map((task) => expect(task).rejects.toMatchObject({ reason: 'aborted' }))
    signals[1].abort()
    signals[0].abort()
    await Promise.all(refused)
    expect(await threads.run('echo', 2, by('a'))).toBe(2)
  })

  it('rejects running and queued tasks when it is closed, and accepts no more', async () => {
    const threads = harness({ threads: 1 })
    const work = [threads.run('spin', undefined as never, by('a')), threads.run('echo', 1, by('b'))]
    const refused = work.map((task) => expect(task).rejects.toMatchObject({ reason: 'closed' }))
    await threads.close()
    await Promise.all(refused)
    await expect(threads.run('echo', 1, by('a'))).rejects.toMatchObject({ reason: 'closed' })
  })

  it('let a program that has nothing else to do wait until they have ended', async () => {
    const pool = new URL('../../packages/core/src/platform/threads/pool.ts', import.meta.url)
    const file = new URL('thread-tasks.ts', import.meta.url)
    const limits = { threads: 1, keepMs: 60_000, memoryMb: 32, deadlineMs: 60_000, maxWaiting: 1 }
    const program = `import { createThreads } from '${pool}'
      const threads = createThreads({ file: new URL('${file}'), ...${JSON.stringify(limits)} })
      await threads.run('echo', 1, { owner: 'a', maxWaiting: 1 })
      await threads.close()
      console.log('closed')`
    using folder = temporaryFolder()
    // In a file: a thread inherits the options that a program given as an argument needs.
    const path = join(folder.path, 'program.mjs')
    writeFileSync(path, program)
    const { stdout } = await promisify(execFile)(process.execPath, [path])
    expect(stdout).toBe('closed\n')
  })
})
