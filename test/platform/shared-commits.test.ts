import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { count, numbers, openFile, ways } from './shared-commits-file.ts'

/** How often a process is killed; `COPYDESK_KILLS=100` for the long form. */
const kills = Number(process.env['COPYDESK_KILLS'] ?? 20)

describe.each(ways)('a unit of work that is durable %s', (way) => {
  it('that no one waits behind is committed by itself', async () => {
    await using file = openFile(way)
    const { unit, texts } = file.connect()
    expect(await unit(1)).toBe(true)
    await expect(unit(2, undefined)).rejects.toThrow('changed its mind')
    expect(await unit(3)).toBe(true)
    expect(texts).toEqual([
      'begin immediate',
      'commit',
      'begin immediate',
      'rollback',
      'begin immediate',
      'commit',
    ])
    expect(file.ids()).toEqual([1, 3])
  })

  it('shares a commit with those that wait, and has ended only when that is durable', async () => {
    await using file = openFile(way)
    const { unit, texts } = file.connect()
    const durable = await Promise.all(numbers(0, 200).map((id) => unit(id)))
    expect(durable.every(Boolean)).toBe(true)
    expect(file.ids()).toEqual(numbers(0, 200))
    expect(file.told).toEqual(numbers(0, 200).map(String))
    // At most 64 share one, or all that come while the disk works; far fewer than one each.
    expect(count(texts, 'commit')).toBeGreaterThanOrEqual(way === 'by the commit' ? 4 : 2)
    expect(count(texts, 'commit')).toBeLessThan(50)
  })

  it('that fails takes back its own work only, and tells nothing', async () => {
    await using file = openFile(way)
    const { unit, texts } = file.connect()
    const ended = await Promise.allSettled([
      unit(1),
      unit(2, 1),
      unit(3),
      unit(4, undefined),
      unit(undefined),
      unit(5, 6),
      unit(7, 6),
    ])
    expect(ended.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(file.ids()).toEqual([1, 3, 5, 6])
    expect(file.told).toEqual(['1', '3', '5', '6'])
    expect(count(texts, 'commit')).toBe(1)
  })

  it('is not lost when the one that began the shared commit fails', async () => {
    await using file = openFile(way)
    const { unit } = file.connect()
    const ended = await Promise.allSettled([unit(1, undefined), unit(2), unit(3, undefined), unit(4)])
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(file.ids()).toEqual([2, 4])
  })

  it('waits for those of another connection to the same file, without sharing their commit', async () => {
    await using file = openFile(way)
    const [one, two] = [file.connect(), file.connect()]
    const durable = await Promise.all(numbers(0, 60).map((id) => (id % 3 === 0 ? one : two).unit(id)))
    expect(durable.every(Boolean)).toBe(true)
    expect(file.ids()).toEqual(numbers(0, 60))
  })

  it('is told that it failed when the shared commit does, and the next ones succeed', async () => {
    await using file = openFile(way)
    const { unit, handle } = file.connect()
    // Deferred, so that only the commit finds it.
    handle.exec('create table parent (id integer primary key)')
    handle.exec('create table child (id integer references parent deferrable initially deferred)')
    handle.pragma('foreign_keys = on')
    handle.exec(
      'create trigger orphan after insert on thing when new.id = 13 begin insert into child values (99); end',
    )
    const ended = await Promise.allSettled([unit(12), unit(13), unit(14)])
    for (const one of ended)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } })
    expect(file.ids()).toEqual([])
    expect(file.told).toEqual([])
    expect(await unit(15)).toBe(true)
  })

  it('is either stored or told that it failed when the disk is full in the middle', async () => {
    await using file = openFile(way)
    const { unit, handle } = file.connect()
    handle.exec('create table blob (bytes blob)')
    handle.exec(
      'create trigger big after insert on thing when new.id % 5 = 4 begin insert into blob values (zeroblob(300000)); end',
    )
    const pages = handle.pragma('page_count', { simple: true }) as number
    handle.pragma(`max_page_count = ${pages + 40}`)
    const ended = await Promise.allSettled(numbers(0, 20).map((id) => unit(id)))
    const kept = numbers(0, 20).filter((id) => ended[id]?.status === 'fulfilled')
    expect(file.ids()).toEqual(kept)
    expect(kept).not.toContain(4)
    expect(ended[4]).toMatchObject({ reason: { code: 'SQLITE_FULL' } })
    handle.pragma('max_page_count = 100000')
    expect(await unit(104)).toBe(true)
  })
})

describe('a unit of work', () => {
  it('that has ended survives the death of its process, at whatever step of a shared commit', async () => {
    await using file = openFile('by the commit')
    const program = fileURLToPath(new URL('./shared-commits-writer.ts', import.meta.url))
    let next = 0
    for (let round = 0; round < kills; round += 1) {
      const child = fork(program, [file.path, `${next}`], {
        execArgv: ['--conditions=@copydesk/source'],
        stdio: 'pipe',
      })
      const ended: number[] = []
      const exited = once(child, 'exit')
      // Each round dies later than the one before: after one answer, after two, and so on.
      await new Promise<void>((resolve) => {
        child.on('message', (id: number) => {
          ended.push(id)
          if (ended.length > round) resolve()
        })
      })
      child.kill('SIGKILL')
      await exited
      const ids = file.ids() as number[]
      expect(ids).toEqual(expect.arrayContaining(ended))
      next = Math.max(...ids) + 1
    }
    expect(next).toBeGreaterThan(kills)
  }, 180_000)
})
