import { existsSync } from 'node:fs'
import type { Copydesk, Logger } from '@copydesk/core'
import { hostsOfChannels } from './config/channels.ts'
import { toCommands } from './config/commands.ts'
import { hostsOfPush } from './config/push.ts'
import { toMailOptions } from './config/mail.ts'
import { hostsOfProviders, toModels, toProviders } from './config/providers.ts'
import type { Config } from './config/schema.ts'
import { secretsFile } from './config/secrets.ts'
import { Failure } from '@copydesk/terminal/failure'
import { invocation } from './invocation.ts'
import { referencePage } from './reference.ts'
import { currentKeys } from './reload-keys.ts'

/**
 * Puts the instance together that a configuration describes. Nothing is created, migrated or started by it.
 * @throws Failure when the keys or the database file are not there: `copydesk up` has not run
 */
export async function openApp(
  config: Config,
  options: { log?: Logger; worker?: false; createDatabase?: boolean } = {},
): Promise<Copydesk> {
  if (options.createDatabase) requireKeys(config)
  else requireInstallation(config)
  const { createCopydesk, createLogger } = await import('@copydesk/core')
  const page = referencePage()
  return createCopydesk({
    database: config.database.url,
    dataDir: config.dataDir,
    encryptionKeys: config.encryptionKeys,
    signingKeys: config.signingKeys,
    reloadKeys: () => currentKeys(config),
    baseUrl: config.baseUrl,
    quotas: {
      tenantBytes: config.quotas.tenantMb * 1024 * 1024,
      installationBytes: config.quotas.installationMb * 1024 * 1024,
    },
    registration: config.registration,
    freeTenants: config.freeTenants,
    environment: config.environment,
    log: options.log ?? createLogger({ level: 'warn' }),
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    allowHosts: [
      ...config.allowHosts,
      ...hostsOfProviders(config),
      ...hostsOfChannels(config.channels),
      ...hostsOfPush(config.push),
    ],
    mail: toMailOptions(config.mail),
    push: config.push,
    appScheme: config.appScheme,
    providers: toProviders(config),
    channels: config.channels,
    models: toModels(config),
    commands: toCommands(config.commands),
    worker: options.worker ?? (config.role === 'web' ? false : config.worker),
    doors: config.role === 'worker' ? 'health' : 'all',
    ...(config.redis && { redis: config.redis }),
    ...(config.defaultModel && { defaultModel: config.defaultModel }),
    ...(page && { referencePage: page }),
  })
}

/** Opens the instance for one piece of work and closes it again, whatever comes of it. */
export async function withApp<T>(config: Config, work: (copydesk: Copydesk) => Promise<T>): Promise<T> {
  const copydesk = await openApp(config, { worker: false })
  try {
    return await work(copydesk)
  } finally {
    await copydesk.stop()
  }
}

/** The file of a SQLite database; undefined for any other. */
export function databaseFile(config: Config): string | undefined {
  return config.database.url.startsWith('sqlite:') ? config.database.url.slice('sqlite:'.length) : undefined
}

/** @throws Failure when the keys or the database file are not there, with what to do */
export function requireInstallation(config: Config): void {
  requireKeys(config)
  requireDatabase(config)
}

/** @throws Failure when the database is there and its keys are not: new ones could not open what is encrypted */
export function requireKeysOfDatabase(config: Config): void {
  const file = databaseFile(config)
  if (config.encryptionKeys.length > 0 || file === undefined || !existsSync(file)) return
  throw new Failure(
    `The database ${file} is there, but not the keys that it was set up with. Put ${secretsFile(config.dataDir)} back from a backup; new keys could not open what is encrypted.`,
  )
}

function requireKeys(config: Config): void {
  const { encryptionKeys, signingKeys, dataDir } = config
  if (encryptionKeys.length > 0 && signingKeys.length > 0) return
  requireKeysOfDatabase(config)
  if (encryptionKeys.length === 0 && signingKeys.length === 0) {
    throw new Failure(
      `There is no installation in ${dataDir}. Run \`${invocation()} up\` to set one up there, or name the folder of yours with --data-dir.`,
    )
  }
  const what = encryptionKeys.length === 0 ? 'encryptionKeys' : 'signingKeys'
  throw new Failure(
    `There are no ${what}: neither the configuration nor ${secretsFile(dataDir)} holds any. Run \`copydesk up\` once, or set them.`,
  )
}

function requireDatabase(config: Config): void {
  const file = databaseFile(config)
  if (file === undefined || existsSync(file)) return
  throw new Failure(
    `There is no database at ${file}. Run \`copydesk up\` once, or name the right folder with --data-dir.`,
  )
}
