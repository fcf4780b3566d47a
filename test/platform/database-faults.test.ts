import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Database,
  DatabaseError,
  openDatabase,
} from '../../packages/core/src/platform/database/database.ts'
import { EventRow, eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { silent } from '../kit/database.ts'

/** Another program's lock is waited for, which takes five seconds of the machine's own clock. */
const waits = { timeout: 90_000 }

const openFile = (url: string) =>
  openDatabase({ url, entities: eventEntities, migrations: [], log: silent, synchronous: 'off' })

/** A folder of its own with a database of some pages in it, closed. */
async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'copydesk-faults-'))
  const path = join(folder, 'copydesk.db')
  const db = await openFile(path)
  await (await db.orm()).schema.create()
  await db.write(async (tx) => {
    for (let n = 0; n < 300; n++) await insert(tx, `event ${n} ${'x'.repeat(200)}`)
  })
  await db.close()
  return {
    folder,
    path,
    async [Symbol.asyncDispose]() {
      await chmod(folder, 0o700)
      await rm(folder, { recursive: true })
    },
  }
}

const insert = (tx: Pick<Database['sql'], 'run'>, subject: string) =>
  tx.run(`insert into event (type, subject, data, at) values ('x', ?, '{}', 0)`, [subject])

const count = async (db: Database) =>
  Number((await db.sql.get<{ n: number }>('select count(*) as n from event'))?.n)

const createRow = (db: Database) =>
  db.unitOfWork('all', async (em) => {
    em.create(EventRow, { type: 'x', subject: 'unit of work', data: {}, at: new Date(0) })
  })

/** What is said of a fault: one line that names the file and says what to do. */
async function sentenceOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(DatabaseError)
  const { message } = error as DatabaseError
  expect(message).toMatch(/^[^\n]+\.$/)
  return message
}

const program = join(import.meta.dirname, 'other-program.ts')

/** Another program that locks the file with `sql` until it is told to release it. */
async function hold(path: string, sql: string) {
  const child = fork(program, ['hold', path, sql], { execArgv: [] })
  const gone = once(child, 'exit')
  const [said] = await Promise.race([once(child, 'message'), gone])
  expect(said).toBe('held')
  return {
    async letGo() {
      child.send('let go')
      await gone
    },
  }
}

/** The fault that someone meets who opens the file and writes, without the rights of root. */
async function writeAsOther(path: string): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = fork(program, ['write', path], { execArgv: [], ...user })
  const [said] = (await once(child, 'message')) as [{ name: string; message: string }]
  return sentenceOf(Promise.reject(said.name === 'DatabaseError' ? new DatabaseError(said.message) : said))
}

describe('openDatabase', () => {
  it('names a missing folder, and does not create it', async () => {
    await using place = await openFolder()
    const folder = join(place.folder, 'missing')
    const sentence = await sentenceOf(openFile(join(folder, 'copydesk.db')))
    expect(sentence).toContain(folder)
    expect(sentence).toContain('Create it, or name another one.')
    expect(existsSync(folder)).toBe(false)
  })

  it('names a path that is a folder', async () => {
    await using place = await openFolder()
    const path = join(place.folder, 'folder.db')
    await mkdir(path)
    const sentence = await sentenceOf(openFile(path))
    expect(sentence).toContain(path)
    expect(sentence).toContain('Check that the path is a file you may read and write.')
  })

  it('names a file that is not a database, and does not change it', async () => {
    await using place = await openFolder()
    const path = join(place.folder, 'letter.txt')
    const text = 'Dear reader, this is no database. '.repeat(200)
    await writeFile(path, text)
    const sentence = await sentenceOf(openFile(path))
    expect(sentence).toContain(path)
    expect(sentence).toContain('Restore it from a backup, or name another file.')
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it.each([0.7, 0.3, 0.01])('names a file that was truncated at %f of its length', async (part) => {
    await using place = await openFolder()
    await truncate(place.path, Math.floor((await stat(place.path)).size * part))
    const sentence = await sentenceOf(openFile(place.path))
    expect(sentence).toContain(place.path)
    expect(sentence).toContain('Restore it from a backup, or name another file.')
  })

  it(
    'names a database that another program has locked, and opens it once that program is gone',
    waits,
    async () => {
      await using place = await openFolder()
      const holder = await hold(place.path, 'pragma locking_mode = exclusive; begin exclusive')
      const sentence = await sentenceOf(openFile(place.path))
      expect(sentence).toContain(place.path)
      expect(sentence).toContain('locked by another program. Close that program and try again.')
      await holder.letGo()
      const db = await openFile(place.path)
      expect(await count(db)).toBe(300)
      await db.close()
    },
  )

  // Root may write everything, so that it is another user who tries.
  it.each([
    ['a file that is read-only', 0o444, 0o777],
    ['a file and a folder that are read-only', 0o444, 0o555],
    ['a file that may not even be read', 0o000, 0o777],
  ])('names %s', async (_what, file, folder) => {
    await using place = await openFolder()
    await chmod(place.path, file)
    await chmod(place.folder, folder)
    const before = await stat(place.path)
    const sentence = await writeAsOther(place.path)
    expect(sentence).toContain(place.path)
    expect(sentence).toMatch(
      /Give this user the right to write|Check that the path is a file you may read and write/,
    )
    const after = await stat(place.path)
    expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs])
  })
})

describe('a damaged page', () => {
  it('is reported by reads, raw statements and transactions', async () => {
    await using place = await openFolder()
    const { size } = await stat(place.path)
    const handle = await open(place.path, 'r+')
    // The first page holds the schema; everything behind it is spoiled.
    await handle.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096)
    await handle.close()
    const db = await openFile(place.path)
    for (const work of [
      () => count(db),
      () => db.sql.all('select * from event'),
      () => db.write((tx) => insert(tx, 'one more')),
      () => createRow(db),
    ]) {
      const sentence = await sentenceOf(work())
      expect(sentence).toContain(place.path)
      expect(sentence).toContain('Restore it from a backup, or name another file.')
    }
    await db.close()
  })
})

describe('a lock of another program', () => {
  it(
    'is waited for and reported; reads continue, nothing is written, and later writes work',
    waits,
    async () => {
      await using place = await openFolder()
      const db = await openFile(place.path)
      const holder = await hold(place.path, 'begin exclusive')
      for (const work of [() => db.write((tx) => insert(tx, 'refused')), () => createRow(db)]) {
        const sentence = await sentenceOf(work())
        expect(sentence).toContain(place.path)
        expect(sentence).toContain('locked by another program. Close that program and try again.')
        expect(await count(db)).toBe(300)
      }
      await holder.letGo()
      await createRow(db)
      await db.write((tx) => insert(tx, 'taken'))
      expect(await count(db)).toBe(302)
      await db.close()
    },
  )

  it('that is released in time has no effect', waits, async () => {
    await using place = await openFolder()
    const db = await openFile(place.path)
    const holder = await hold(place.path, 'begin exclusive')
    const gone = holder.letGo()
    await createRow(db)
    await db.write((tx) => insert(tx, 'taken'))
    await gone
    expect(await count(db)).toBe(302)
    await db.close()
  })
})
