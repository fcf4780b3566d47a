import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntitySchema } from '@mikro-orm/core'
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql'
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite'
import {
  type Database,
  type Dialect,
  openDatabase,
} from '../../packages/core/src/platform/database/database.ts'
import { type MigrationScript, migrateUp } from '../../packages/core/src/platform/database/migrate.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import type { Logger } from '../../packages/core/src/platform/log.ts'
import { type TestPlace, takePostgres } from './postgres-databases.ts'

export interface TestDatabase extends AsyncDisposable {
  readonly db: Database
  readonly url: string
  /** Opens the same database once more, as another process would; closed together with the first. */
  again(log?: Logger): Promise<Database>
}

export interface TestDatabaseOptions {
  /** Default: those of the platform. */
  entities?: readonly EntitySchema<any>[]
  /** How the schema is made. Without them it is derived from the entities; an empty list makes an empty database. */
  migrations?: readonly MigrationScript[]
  /** A PostgreSQL other than that of the run, as the URL of its maintenance database. */
  server?: string
  log?: Logger
}

const platformEntities = [...jobEntities, ...eventEntities]

/** The database that this vitest project runs on. */
export const dialect: Dialect = process.env['COPYDESK_TEST_DB'] === 'postgresql' ? 'postgresql' : 'sqlite'

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
}

/**
 * A database of its own for one test, with the schema in place. Copied from a template that is made once a run for each
 * schema; gone or emptied when disposed.
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { entities = platformEntities, migrations, log = silent } = options
  const place = dialect === 'sqlite' ? await sqliteCopy(options) : await postgresPlace(options)
  const opened: Database[] = []
  const again = async (logger: Logger = log) => {
    const db = await openDatabase({
      url: place.url,
      entities,
      migrations: migrations ?? [],
      log: logger,
      synchronous: 'off',
    })
    opened.push(db)
    return db
  }
  return {
    db: await again(),
    url: place.url,
    again,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((db) => db.close()))
      await place.release()
    },
  }
}

/** Where the files of this run are. */
export function folderOfRun(): string {
  return process.env['COPYDESK_TEST_FOLDER'] ?? join(tmpdir(), `copydesk-test-${process.pid}`)
}

async function sqliteCopy(options: TestDatabaseOptions): Promise<TestPlace> {
  const folder = folderOfRun()
  await mkdir(folder, { recursive: true })
  const template = join(folder, `template-${await fingerprint(options)}.db`)
  if (!existsSync(template)) {
    const draft = `${template}.${process.pid}-${randomBytes(4).toString('hex')}`
    await build(draft, options)
    await rename(draft, template)
  }
  const path = join(folder, `${randomBytes(8).toString('hex')}.db`)
  await copyFile(template, path)
  return {
    url: path,
    release: async () => {
      for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
    },
  }
}

async function postgresPlace(options: TestDatabaseOptions): Promise<TestPlace> {
  const prefix = process.env['COPYDESK_TEST_PREFIX'] ?? `copydesk_test_${process.pid}_`
  const { entities = platformEntities, migrations = [], server = serverUrl() } = options
  const template = `${prefix}template_${await fingerprint(options)}`
  const open = (url: string) => openDatabase({ url, entities, migrations, log: silent })
  return takePostgres({ server, template, build: (url) => build(url, options), open })
}

function serverUrl(): string {
  const url = process.env['COPYDESK_TEST_POSTGRES']
  if (!url) throw new Error('COPYDESK_TEST_POSTGRES is not set; run the tests by config/vitest.config.ts')
  return url
}

async function build(url: string, { entities = platformEntities, migrations }: TestDatabaseOptions) {
  const db = await openDatabase({
    url,
    entities,
    migrations: migrations ?? [],
    log: silent,
    synchronous: 'off',
  })
  try {
    if (migrations) await migrateUp(db)
    else await (await db.orm()).schema.create()
  } finally {
    await db.close()
  }
}

const fingerprints = new WeakMap<object, string>()

/** The same for the same schema in every worker. */
async function fingerprint({
  entities = platformEntities,
  migrations,
}: TestDatabaseOptions): Promise<string> {
  const key = migrations ?? entities
  const known = fingerprints.get(key)
  if (known) return known
  const text = migrations ? JSON.stringify(migrations) : await schemaOf(entities)
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  fingerprints.set(key, hash)
  return hash
}

async function schemaOf(entities: readonly EntitySchema<any>[]): Promise<string> {
  const options = { dbName: 'none', entities: [...entities], connect: false, ensureDatabase: false }
  const orm = dialect === 'sqlite' ? await SqliteOrm.init(options) : await PostgresOrm.init(options)
  return orm.schema.getCreateSchemaSQL()
}
