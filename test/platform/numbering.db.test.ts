import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { dialect } from '../kit/database.ts'
import { everything, happened, notebook, openArchive, patience, write } from './event-archive.ts'

const program = fileURLToPath(new URL('./event-writer.ts', import.meta.url))

/** A process that writes as soon as it is told to begin, and what it has said that it committed. */
async function startWriter(url: string, name: string) {
  const child = fork(program, [url, name], { execArgv: ['--conditions=@copydesk/source'], stdio: 'pipe' })
  const committed: string[] = []
  let onMore: (() => void) | undefined
  child.on('message', (subjects: string[]) => {
    committed.push(...subjects)
    onMore?.()
  })
  await once(child, 'message')
  return {
    child,
    committed,
    begin: () => child.send('begin'),
    /** Resolves once it has committed so many transactions since it began. */
    async hasCommitted(transactions: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      onMore = () => committed.length >= transactions * 2 && resolve()
      onMore()
      await promise
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Each writer's events in the order in which it wrote them, and no number missing or given twice. */
function expectInOrder({ events }: Pick<ReturnType<typeof notebook>, 'events'>): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1))
  const byWriter = Map.groupBy(events, ({ subject }) => subject.split(' ')[0])
  for (const [writer, own] of byWriter) {
    const inOrder = own.map((_, n) => `${writer} ${Math.floor(n / 2)} ${n % 2 === 0 ? 'first' : 'second'}`)
    expect(own.map(({ subject }) => subject)).toEqual(inOrder)
  }
}

/** How many processes are killed; `COPYDESK_KILLS=100` for the long form. */
const kills = Number(process.env['COPYDESK_KILLS'] ?? 20)

// On SQLite a commit gives the numbers: `shared-commits.test.ts` kills processes there, `test/chaos/power-cut.test.ts` the power.
it.runIf(dialect === 'postgresql')(
  'loses and repeats nothing, and skips no number, while processes that write die one after the other',
  async () => {
    await using archive = await openArchive(createSystemClock())
    const { log } = await archive.process()
    const book = notebook()
    await log.follow(everything, 0, book)
    for (let first = 0; first < kills; first += 4) {
      const names = [0, 1, 2, 3].map((n) => `${first + n}`)
      const writers = await Promise.all(names.map((name) => startWriter(archive.url, name)))
      for (const { begin } of writers) begin()
      // Each dies a little later than the one before, while the others go on.
      for (const [n, writer] of writers.entries()) {
        await writer.hasCommitted(1 + ((first + n) % 40))
        await writer.kill()
      }
      const committed = writers.flatMap((writer) => writer.committed)
      await expect
        .poll(() => committed.filter((subject) => !book.told.includes(subject)), patience)
        .toEqual([])
    }
    expectInOrder(book)
    // Someone who resumes in the middle is told the rest, as everyone was.
    const resumed = notebook()
    await log.follow(everything, 100, resumed)
    expect(resumed.told).toEqual(book.told.slice(100))
  },
  60_000 + kills * 3_000,
)

it.runIf(dialect === 'postgresql')(
  'goes on while a process that writes is paused at any moment, which goes on with it when it is woken',
  async () => {
    await using archive = await openArchive(createSystemClock())
    const here = await archive.process()
    const book = notebook()
    await here.log.follow(everything, 0, book)
    const writer = await startWriter(archive.url, 'paused')
    writer.begin()
    for (let round = 1; round <= 20; round += 1) {
      await writer.hasCommitted(round * 7)
      writer.child.kill('SIGSTOP')
      await write(here, happened(`here ${round - 1} first`), happened(`here ${round - 1} second`))
      await expect.poll(() => book.told, patience).toContain(`here ${round - 1} second`)
      writer.child.kill('SIGCONT')
    }
    await writer.kill()
    await expect
      .poll(() => writer.committed.filter((subject) => !book.told.includes(subject)), patience)
      .toEqual([])
    expectInOrder(book)
  },
  60_000,
)
