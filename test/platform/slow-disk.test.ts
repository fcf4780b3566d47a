import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { CommitLog } from '../../packages/core/src/platform/database/sqlite-log.ts'
import { count, numbers, openFile } from './shared-commits-file.ts'

describe('a unit of work, while the disk works', () => {
  /** A disk that has made nothing durable before it is let go on. */
  function slowDisk() {
    const waiting: Array<{ resolve: () => void; reject: (error: Error) => void }> = []
    return {
      waiting,
      change: (log: CommitLog) => ({
        sync: () =>
          new Promise<void>((resolve, reject) => void waiting.push({ resolve, reject })).then(log.sync),
      }),
      /** Has the next commit reach the disk, and lets go on what waits for it. */
      async goOn(error?: Error) {
        await expect.poll(() => waiting.length).toBe(1)
        const [next] = waiting.splice(0)
        if (error) next?.reject(error)
        else next?.resolve()
      },
    }
  }

  it('is neither seen nor told of before it is durable', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const { unit, handle } = file.connect()
    const first = unit(1)
    await expect.poll(() => disk.waiting.length).toBe(1)
    expect(handle.inTransaction).toBe(false)
    expect(file.ids()).toEqual([])
    expect(file.told).toEqual([])
    await disk.goOn()
    expect(await first).toBe(true)
    expect(file.told).toEqual(['1'])
  })

  it('goes on, and shares the next commit with all that come meanwhile', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const { unit, handle, texts } = file.connect()
    const first = unit(1)
    await expect.poll(() => disk.waiting.length).toBe(1)
    const others = Promise.allSettled([unit(2), unit(3, undefined), unit(4)])
    await expect.poll(() => count(texts, 'savepoint unit')).toBe(2)
    expect(handle.inTransaction).toBe(true)
    await disk.goOn()
    await first
    expect(file.ids()).toEqual([1])
    await disk.goOn()
    expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(file.ids()).toEqual([1, 2, 4])
    expect(count(texts, 'commit')).toBe(2)
  })

  it('of another connection to the same file waits for the disk', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const [one, two] = [file.connect(), file.connect()]
    const units = [one.unit(1)]
    await expect.poll(() => disk.waiting.length).toBe(1)
    units.push(two.unit(2), one.unit(3))
    await disk.goOn()
    await disk.goOn()
    await disk.goOn()
    expect(await Promise.all(units)).toEqual([true, true, true])
  })

  it('in a thread is neither seen nor told of before it is durable; others go on meanwhile', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const { unit, apart, texts } = file.connect()
    const first = apart(1, 2)
    await expect.poll(() => disk.waiting.length).toBe(1)
    const others = [unit(3), apart(4), unit(5)]
    await expect.poll(() => count(texts, 'begin immediate')).toBe(1)
    expect(file.ids()).toEqual([])
    expect(file.told).toEqual([])
    await disk.goOn()
    expect(await first).toBe(true)
    expect(file.ids()).toEqual([1, 2])
    for (let commit = 0; commit < 3; commit += 1) await disk.goOn()
    expect(await Promise.all(others)).toEqual([true, true, true])
    expect(file.told).toEqual(['1', '2', '3', '4', '5'])
  })

  it('in a thread fails when the disk does, and so do all after it', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const { unit, apart } = file.connect()
    const units = [apart(1), apart(2), unit(3)]
    const ended = Promise.allSettled(units)
    await disk.goOn(Object.assign(new Error('no answer'), { code: 'EIO' }))
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(apart(4)).rejects.toMatchObject({ code: 'EIO' })
    expect(file.ids()).toEqual([])
    expect(file.told).toEqual([])
  })

  it('fails when the disk does, and so do all after it: readers keep to what is durable', async () => {
    const disk = slowDisk()
    await using file = openFile('outside of the event loop', disk.change)
    const { unit, commits } = file.connect()
    const kept = unit(1)
    await disk.goOn()
    await kept
    const lost = unit(2)
    lost.catch(() => undefined)
    await expect.poll(() => disk.waiting.length).toBe(1)
    const behind = unit(3)
    behind.catch(() => undefined)
    await disk.goOn(Object.assign(new Error('no answer'), { code: 'EIO' }))
    await expect(lost).rejects.toMatchObject({ code: 'EIO' })
    await expect(behind).rejects.toMatchObject({ code: 'EIO' })
    await expect(unit(4)).rejects.toMatchObject({ code: 'EIO' })
    expect(() => commits.check()).toThrow('no answer')
    expect(file.ids()).toEqual([1])
    expect(file.told).toEqual(['1'])
  })

  it('is answered before a long log is folded; the next one waits for that, and readers do not', async () => {
    const folding = Promise.withResolvers<void>()
    let folds = 0
    await using file = openFile('outside of the event loop', (log) => ({
      isLong: () => folds === 0,
      fold: async () => {
        folds += 1
        await folding.promise
        await log.fold()
      },
    }))
    const { unit, handle } = file.connect()
    expect(await unit(1)).toBe(true)
    await expect.poll(() => folds).toBe(1)
    const next = unit(2)
    await new Promise((resolve) => setImmediate(resolve))
    expect(handle.inTransaction).toBe(false)
    expect(file.ids()).toEqual([1])
    folding.resolve()
    expect(await next).toBe(true)
  })

  it.each([
    ['in a thread', {}],
    ['where no thread can be had', { file: new URL('no-such-thread.ts', import.meta.url) }],
  ])('uses the log again from its beginning, however many writers there are, %s', async (_, inThread) => {
    await using file = openFile('outside of the event loop', undefined, inThread)
    const { unit, handle } = file.connect()
    handle.exec('create table page (bytes blob)')
    handle.exec(
      'create trigger wide after insert on thing begin insert into page values (zeroblob(8000)); end',
    )
    const write = async (writer: number) => {
      for (let id = writer; id < 6_000; id += 8) await unit(id)
    }
    await Promise.all(numbers(0, 8).map(write))
    expect(file.ids()).toHaveLength(6_000)
    // 4 MB are folded; without it the log has all 50.
    expect(statSync(`${file.path}-wal`).size).toBeLessThan(12_000_000)
  })
})
