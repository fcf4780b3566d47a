import { describe, expect, it } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import {
  migrateDown,
  migrateUp,
  migrationStatus,
  refuseFutureSchema,
} from '../../packages/core/src/platform/database/migrate.ts'
import { openTestDatabase } from '../kit/database.ts'

describe('the migrations', () => {
  it('create exactly the schema of the entities', async () => {
    await using database = await openTestDatabase({ entities, migrations: [] })
    await using migrated = await openTestDatabase({ entities, migrations })
    await migrateUp(migrated.db)
    expect((await (await migrated.db.orm()).schema.getUpdateSchemaSQL()).trim()).toBe('')
    expect((await (await database.db.orm()).schema.getUpdateSchemaSQL()).trim()).not.toBe('')
  })

  it('can be reverted and applied again', async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await migrateUp(database.db)
    const names = migrations.map(({ name }) => name)
    for (const name of names.toReversed()) expect(await migrateDown(database.db)).toEqual([name])
    expect((await migrationStatus(database.db)).pending).toEqual(names)
    expect(await migrateUp(database.db)).toEqual(names)
  })

  it('are rejected on a schema of a newer version', async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await migrateUp(database.db)
    await database.db.write((tx) =>
      tx.run(`insert into mikro_orm_migrations (name, executed_at) values ('9999-later', ?)`, [new Date()]),
    )
    await expect(refuseFutureSchema(database.db)).rejects.toThrow(/newer version of Copydesk .*9999-later/)
  })
})
