import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openTestDatabase } from '../kit/database.ts'
it.runIf(process.env['COPYDESK_TEST_DB'] === 'sqlite')(
  'close folds the write-ahead log into the file',
  async () => {
    await using test = await openTestDatabase({ migrations: [] })
    await test.db.write((tx) => tx.run('create table thing (id integer)'))
    await test.db.close()
    expect(existsSync(`${test.url}-wal`)).toBe(false)
  },
)
