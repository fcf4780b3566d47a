import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { count, numbers, openFile, ways } from './shared-commits-file.ts'

/** How often a process is killed; `COPYDESK_KILLS=100` for the long form. */
const kills = Number(process.env['COPYDESK_KILLS'] ?? 10)

const dying = new URL('dying-write-thread.ts', import.meta.url)
const outside = 'outside of the event loop'

describe.each(ways)('a unit of work in a thread, durable %s', (way) => {
  it('has its turn among the others', async () => {
    await using file = openFile(way)
    const [one, two] = [file.connect(), file.connect()]
    const ended = await Promise.all([
      one.unit(1),
      one.unit(2),
      one.apart(3, 4),
      one.unit(5),
      two.apart(6),
      one.apart(7),
      two.unit(8),
    ])
    expect(ended).toEqual(ended.map(() => true))
    expect(file.ids()).toEqual(numbers(1, 9))
    expect(file.told).toEqual(numbers(1, 9).map(String))
    // The second unit shares the commit of the first, and the one after the thread has another.
    expect(count(one.texts, 'commit')).toBe(2)
  })

  it('that fails takes back its own work only, and tells nothing', async () => {
    await using file = openFile(way)
    const { unit, apart } = file.connect()
    const ended = await Promise.allSettled([
      unit(1),
      apart(2, undefined),
      apart(3, 1),
      unit(4),
      apart(5, 'select no_such_column'),
      apart(6),
      unit(7, 6),
    ])
    expect(ended.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(ended[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } })
    expect(file.ids()).toEqual([1, 4, 6])
    expect(file.told).toEqual(['1', '4', '6'])
  })

  it('writes nothing when the disk is full in the middle, and the next one succeeds', async () => {
    await using file = openFile(way)
    const { apart, unit, handle } = file.connect()
    handle.exec('create table blob (bytes blob)')
    const pages = handle.pragma('page_count', { simple: true }) as number
    const big = "insert into blob select zeroblob(300000) returning ''"
    await expect(apart(1, `pragma max_page_count = ${pages + 20}`, 2, big, 3)).rejects.toMatchObject({
      code: 'SQLITE_FULL',
    })
    expect(file.ids()).toEqual([])
    expect(await apart('pragma max_page_count = 100000', 4, big)).toBe(true)
    expect(await unit(5)).toBe(true)
  })

  it.each([
    ['ends', 'select 1 -- and end'],
    ['hangs', 'select 1 -- and hang'],
    ['ends before the answer to its commit', 'select 1 -- end with the commit'],
  ])('fails with its thread when that %s; the others go on', async (_, text) => {
    await using file = openFile(way, undefined, { file: dying, deadlineMs: 2_000 })
    const { unit, apart } = file.connect()
    const ended = await Promise.allSettled([unit(1), apart(2, text, 3), unit(4), apart(5)])
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(file.ids()).toEqual([1, 4, 5])
    expect(file.told).toEqual(['1', '4', '5'])
  })

  it('is given a thread of its own after a rest', async () => {
    await using file = openFile(way, undefined, { keepMs: 1 })
    const { apart } = file.connect()
    for (const id of numbers(0, 5)) {
      expect(await apart(id)).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, id * 2))
    }
    expect(file.ids()).toEqual(numbers(0, 5))
  })
})

describe('a unit of work in a thread', () => {
  it('leaves nothing half, and loses nothing that was told, when its process dies', async () => {
    await using file = openFile(outside)
    const program = fileURLToPath(new URL('./write-thread-writer.ts', import.meta.url))
    const perUnit = 50
    let next = 0
    for (let round = 0; round < kills; round += 1) {
      const child = fork(program, [file.path, `${next}`, `${perUnit}`], {
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
      // Units in the thread begin at even hundreds, others at odd ones.
      const begun = new Set(ids.map((id) => Math.floor(id / 100)))
      for (const hundred of begun)
        expect(ids.filter((id) => Math.floor(id / 100) === hundred)).toHaveLength(hundred % 2 ? 1 : perUnit)
      next = (Math.floor(Math.max(...ids) / 200) + 1) * 200
    }
    expect(next).toBeGreaterThan(kills * 100)
  }, 180_000)
})
