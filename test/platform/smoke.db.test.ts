import { expect, it } from 'vitest'
import { openTestDatabase } from '../kit/database.ts'
it('opens', async () => {
  await using test = await openTestDatabase()
  console.log(await test.db.orm.schema.getCreateSchemaSQL())
  console.log(await test.db.orm.schema.getUpdateSchemaSQL())
  expect(await test.db.sql.all('select * from job')).toEqual([])
})
