import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Copydesk, Logger } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { databaseFile, openApp, requireKeysOfDatabase } from './app.ts'
import type { Config } from './config/schema.ts'
import { areSecretsExposed, createSecrets, readSecrets, secretsFile } from './config/secrets.ts'
import { syncFolder } from './config/sync-folder.ts'

/** What was missing and has been created, as messages. */
export interface SetUp {
  copydesk: Copydesk
  created: string[]
  /** Whether there is a super-admin. */
  hasSuperAdmin: boolean
  /** Whether there is a tenant. */
  hasTenant: boolean
  /** The configuration with the existing and created keys. */
  config: Config
}

/**
 * Completes an installation: data folder, keys, database, migrations, templates and agents. Keeps what
 * exists, so it can run any number of times.
 * @throws Failure or DatabaseError, each with a remedy
 */
export async function setUp(config: Config, log?: Logger): Promise<SetUp> {
  const created: string[] = []
  if (ensureDataDir(config.dataDir)) created.push(`data folder ${config.dataDir}`)
  const keyed = withKeys(config, created)
  const file = databaseFile(config)
  if (file !== undefined && !existsSync(file)) created.push(`database ${file}`)
  const copydesk = await openApp(keyed, { createDatabase: true, ...(log && { log }) })
  try {
    const applied = await copydesk.migrations.up()
    if (applied.length > 0) created.push(`schema (${namesOf(applied)})`)
    await copydesk.setUp()
    const operators = await copydesk.asSystem().users.list({ 'filter.role': 'super_admin', limit: 1 })
    const tenants = await copydesk.asSystem().tenants.list({ limit: 1 })
    return {
      copydesk,
      created,
      hasSuperAdmin: operators.data.length > 0,
      hasTenant: tenants.data.length > 0,
      config: keyed,
    }
  } catch (error) {
    await copydesk.stop()
    throw error
  }
}

/**
 * Creates the data folder, for its owner only.
 * @returns true when it did not exist
 * @throws Failure when it is not writable
 */
export function ensureDataDir(dataDir: string): boolean {
  const wasThere = existsSync(dataDir)
  if (wasThere && !statSync(dataDir).isDirectory()) {
    throw new Failure(
      `${dataDir} is a file, but must be a folder. Move it away, or choose another place with --data-dir.`,
    )
  }
  if (!wasThere) makeDurably(dataDir)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw new Failure(
      `The data folder ${dataDir} is not writable for this user. Change its owner or mode, or choose another place with --data-dir.`,
      { cause },
    )
  }
  return !wasThere
}

/** Makes a folder, with those that lead to it, so that a power cut leaves it there. */
function makeDurably(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made === undefined) return
  for (let at = resolve(folder); at !== dirname(resolve(made)); at = dirname(at)) syncFolder(dirname(at))
}

function withKeys(config: Config, created: string[]): Config {
  const { encryptionKeys, signingKeys, dataDir } = config
  if (areSecretsExposed(dataDir)) {
    throw new Failure(
      `Other users can read the secrets file ${secretsFile(dataDir)}. Run \`chmod 600 ${secretsFile(dataDir)}\`, or \`copydesk doctor --repair\`.`,
    )
  }
  if (encryptionKeys.length > 0 && signingKeys.length > 0) return config
  requireKeysOfDatabase(config)
  const there = readSecrets(dataDir)
  const secrets = there ?? createSecrets(dataDir)
  if (!there) created.push(`keys in ${join(dataDir, 'secrets.json')}`)
  const missing = (['encryptionKeys', 'signingKeys'] as const).filter((name) => config[name].length === 0)
  return {
    ...config,
    ...Object.fromEntries(missing.map((name) => [name, secrets[name]])),
    keysFromFile: [...config.keysFromFile, ...missing],
  }
}

/** So many steps of the schema are told of by their names. */
const mostNames = 5

/** A new database takes all steps, whose names no one wants to read. */
function namesOf(applied: readonly string[]): string {
  const last = applied.at(-1)
  return applied.length > mostNames ? `${applied.length} steps up to ${last}` : applied.join(', ')
}
