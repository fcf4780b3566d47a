/**
 * Writes the next migration: what the entities have and the migrated databases lack, for both databases.
 * Usage: node --conditions=@copydesk/source config/new-migration.ts NAME POSTGRES_URL
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entities } from '../packages/core/src/composition/entities.ts'
import { migrations } from '../packages/core/src/composition/migrations/migrations.ts'
import { type Dialect, openDatabase } from '../packages/core/src/platform/database/database.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'

const [name, postgres] = process.argv.slice(2)
if (!name || !postgres) {
  console.error(
    'usage: node --conditions=@copydesk/source config/new-migration.ts NAME POSTGRES_URL (an empty database)',
  )
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'copydesk-'))
const up = {} as Record<Dialect, string[]>
const down = {} as Record<Dialect, string[]>
for (const url of [join(folder, 'new.db'), postgres]) {
  const db = await openDatabase({ url, entities, migrations, log: silentLogger })
  const orm = await db.orm()
  await orm.migrator.up()
  const diff = await orm.schema.getUpdateSchemaMigrationSQL({ wrap: false })
  up[db.dialect] = statements(diff.up)
  down[db.dialect] = statements(diff.down)
  await db.close()
}
rmSync(folder, { recursive: true })
const number = String(migrations.length + 1).padStart(4, '0')
const file = fileURLToPath(
  new URL(`../packages/core/src/composition/migrations/${number}-${name}.ts`, import.meta.url),
)
const list = (sql: string[]) => sql.map((line) => `      ${JSON.stringify(line)},`).join('\n')
const both = (sql: Record<Dialect, string[]>) =>
  `{\n    sqlite: [\n${list(sql.sqlite)}\n    ],\n    postgresql: [\n${list(sql.postgresql)}\n    ],\n  }`
writeFileSync(
  file,
  `import type { MigrationScript } from '../../platform/database/migrate.ts'\n\nexport const migration: MigrationScript = {\n  name: '${number}-${name}',\n  up: ${both(up)},\n  down: ${both(down)},\n}\n`,
)
console.log(`written: ${file}; add it to migrations.ts`)

function statements(sql: string): string[] {
  return sql
    .split(/;\s*\n|;\s*$/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^set names|^pragma/i.test(line))
}
