import { existsSync } from 'node:fs'
import type { Copydesk, Logger } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'
import { hostsOfChannels } from './config/channels.ts'
import { toCommands } from './config/commands.ts'
import { hostsOfEmbeddings, toEmbeddings } from './config/embeddings.ts'
import { hostsOfImages, toImages } from './config/images.ts'
import { toMailOptions } from './config/mail.ts'
import { hostsOfPayments, toPaymentOptions } from './config/payments.ts'
import { hostsOfProviders, toModels, toProviders } from './config/providers.ts'
import { hostsOfPush } from './config/push.ts'
import { hostsOfRerank, toRerank } from './config/rerank.ts'
import type { Config } from './config/schema.ts'
import { secretsFile } from './config/secrets.ts'
import { hostsOfSms, toSms } from './config/sms.ts'
import { toStorage } from './config/storage.ts'
import { invocation } from './invocation.ts'
import { referencePage } from './reference.ts'
import { currentKeys } from './reload-keys.ts'
import { keepWebAssemblyCode } from './webassembly.ts'

/**
 * Creates the instance that a configuration describes. Does not create, migrate or start anything else.
 * @throws Failure when the keys or the database file are missing: `copydesk up` has not run
 */
export async function openApp(
  config: Config,
  options: { log?: Logger; worker?: false; createDatabase?: boolean } = {},
): Promise<Copydesk> {
  if (options.createDatabase) requireKeys(config)
  else requireInstallation(config)
  keepWebAssemblyCode()
  const { createCopydesk, createLogger } = await import('@copydesk/core')
  const page = referencePage()
  const embeddings = toEmbeddings(config)
  const rerank = toRerank(config)
  const payments = toPaymentOptions(config)
  const images = toImages(config)
  const sms = toSms(config)
  return createCopydesk({
    database: config.database,
    dataDir: config.dataDir,
    storage: toStorage(config.storage),
    encryptionKeys: config.encryptionKeys,
    signingKeys: config.signingKeys,
    reloadKeys: () => currentKeys(config),
    baseUrl: config.baseUrl,
    quotas: {
      tenantBytes: config.quotas.tenantMb * 1024 * 1024,
      installationBytes: config.quotas.installationMb * 1024 * 1024,
    },
    invoicing: config.invoicing,
    registration: config.registration,
    freeTenants: config.freeTenants,
    environment: config.environment,
    log: options.log ?? createLogger({ level: 'warn' }),
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    allowHosts: [
      ...config.allowHosts,
      ...hostsOfProviders(config),
      ...hostsOfEmbeddings(config),
      ...hostsOfRerank(config),
      ...hostsOfChannels(config.channels),
      ...hostsOfPayments(config),
      ...hostsOfPush(config.push),
      ...hostsOfImages(config),
      ...hostsOfSms(config),
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
    ...(embeddings && { embeddings }),
    ...(rerank && { rerank }),
    ...(payments && { payments }),
    ...(images && { images }),
    ...(sms && { sms }),
    ...(config.defaultModel && { defaultModel: config.defaultModel }),
    ...(page && { referencePage: page }),
  })
}

/** Opens the instance, calls a function with it, and closes it even when the function fails. */
export async function withApp<T>(config: Config, work: (copydesk: Copydesk) => Promise<T>): Promise<T> {
  const copydesk = await openApp(config, { worker: false })
  try {
    return await work(copydesk)
  } finally {
    await copydesk.stop()
  }
}

/** The file of a SQLite database; undefined for PostgreSQL. */
export function databaseFile(config: Config): string | undefined {
  return config.database.url.startsWith('sqlite:') ? config.database.url.slice('sqlite:'.length) : undefined
}

/** @throws Failure that says what to do when the keys or the database file are missing */
export function requireInstallation(config: Config): void {
  requireKeys(config)
  requireDatabase(config)
}

/** @throws Failure when the database exists and its keys do not: new keys could not decrypt its secrets */
export function requireKeysOfDatabase(config: Config): void {
  const file = databaseFile(config)
  if (config.encryptionKeys.length > 0 || file === undefined || !existsSync(file)) return
  throw new Failure(
    `The database ${file} exists, but the keys that it was set up with are missing. Restore ${secretsFile(config.dataDir)} from a backup; new keys cannot decrypt the stored secrets.`,
  )
}

function requireKeys(config: Config): void {
  const { encryptionKeys, signingKeys, dataDir } = config
  if (encryptionKeys.length > 0 && signingKeys.length > 0) return
  requireKeysOfDatabase(config)
  if (encryptionKeys.length === 0 && signingKeys.length === 0) {
    throw new Failure(
      `There is no installation in ${dataDir}. Run \`${invocation()} up\` to set one up there, or name the folder of an existing one with --data-dir.`,
    )
  }
  const what = encryptionKeys.length === 0 ? 'encryptionKeys' : 'signingKeys'
  throw new Failure(
    `There are no ${what}: neither the configuration nor ${secretsFile(dataDir)} contains any. Run \`copydesk up\` once, or configure them.`,
  )
}

function requireDatabase(config: Config): void {
  const file = databaseFile(config)
  if (file === undefined || existsSync(file)) return
  throw new Failure(
    `There is no database at ${file}. Run \`copydesk up\` once, or name the right folder with --data-dir.`,
  )
}
