import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import type { z } from 'zod'
import { type Environment, readEnvironment, unreadVariables } from './environment.ts'
import { readConfigFile } from './file.ts'
import { type Config, type ConfigInput, configInput } from './schema.ts'
import { readSecrets, secretsFile } from './secrets.ts'

export interface LoadOptions {
  /** From `--config`. */
  configFile?: string
  /** From `--data-dir`. */
  dataDir?: string
  /** From `--role`, `--host` and `--port`. */
  role?: string
  host?: string
  port?: number
  env: Environment
  cwd: string
}

export interface Loaded {
  config: Config
  /** Where each value comes from, by its dotted name; a name that is missing has its default. */
  sources: ReadonlyMap<string, string>
  /** The configuration file, when there is one. */
  file: string | undefined
  /** Warnings. */
  warnings: string[]
}

/**
 * Merges, the later taking precedence: defaults, the secrets file, the configuration file, the environment,
 * the command line. The configuration file is the one named by `--config` or COPYDESK_CONFIG, otherwise
 * `copydesk.json` in the data folder.
 * @throws Failure that names the field, what is wrong with it and where it was set
 */
export function loadConfig(options: LoadOptions): Loaded {
  const { env, cwd } = options
  const named = options.configFile ?? env['COPYDESK_CONFIG']
  const early = options.dataDir ?? env['COPYDESK_DATA_DIR']
  const presumed = resolve(cwd, early ?? defaultDataDir(env, cwd))
  const inDataDir = join(presumed, 'copydesk.json')
  const file = named ? resolve(cwd, named) : existsSync(inDataDir) ? inDataDir : undefined

  const given = record()
  const sources = new Map<string, string>()
  const set = (path: string, value: unknown, source: string) => {
    // A plain list names proxies that set the header.
    const name = path === 'trustProxy' && Array.isArray(value) ? 'trustProxy.addresses' : path
    put(given, name.split('.'), value)
    sources.set(name, source)
  }
  if (file) for (const [path, value] of readConfigFile(file)) set(path, value, `file ${file}`)
  for (const { path, value, source } of readEnvironment(env)) set(path, value, source)
  for (const name of ['dataDir', 'role', 'host', 'port'] as const) {
    const flag = name === 'dataDir' ? '--data-dir' : `--${name}`
    if (options[name] !== undefined) set(name, options[name], `option ${flag}`)
  }
  // Used once, so that making functions for it would take longer than it takes.
  const parsed = configInput(Object.keys(given)).safeParse(given, { jitless: true })
  if (!parsed.success) throw faulty(parsed.error, sources)

  const dataDir = placeOf(parsed.data.dataDir, sources.get('dataDir'), { file, cwd, presumed })
  if (file === inDataDir && !named && dataDir !== presumed) {
    throw wrongUsage(
      `The file ${file} names another data folder, ${dataDir}. Name the folder with --data-dir or COPYDESK_DATA_DIR instead.`,
    )
  }
  const config = withDefaults(parsed.data, dataDir)
  if (config.encryptionKeys.length === 0 || config.signingKeys.length === 0) {
    const secrets = readSecrets(dataDir)
    for (const name of ['encryptionKeys', 'signingKeys'] as const) {
      if (!secrets || config[name].length > 0) continue
      Object.assign(config, { [name]: secrets[name], keysFromFile: [...config.keysFromFile, name] })
      sources.set(name, `file ${secretsFile(dataDir)}`)
    }
  }
  return { config, sources, file, warnings: unreadVariables(env) }
}

/** `./copydesk-data`, or the application data folder of this user when only that one exists. */
function defaultDataDir(env: Environment, cwd: string): string {
  const here = join(cwd, 'copydesk-data')
  const shared = join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'copydesk')
  return !existsSync(here) && existsSync(shared) ? shared : here
}

/** A path in a file is relative to the file, any other to the current folder. */
function placeOf(
  dataDir: string | undefined,
  source: string | undefined,
  from: { file: string | undefined; cwd: string; presumed: string },
): string {
  if (dataDir === undefined) return from.presumed
  return resolve(from.file && source === `file ${from.file}` ? dirname(from.file) : from.cwd, dataDir)
}

function withDefaults(given: ConfigInput, dataDir: string): Config {
  const host = given.host ?? '127.0.0.1'
  const port = given.port ?? 8420
  const reachable =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return {
    dataDir,
    environment: given.environment ?? 'production',
    database: { ...given.database, url: databaseUrl(given.database?.url ?? 'sqlite:copydesk.db', dataDir) },
    storage: given.storage ?? {},
    ...(given.redis && { redis: { url: given.redis.url, prefix: given.redis.prefix ?? 'copydesk:' } }),
    role: given.role ?? 'all',
    host,
    port,
    baseUrl: (given.baseUrl ?? `http://${reachable}:${port}`).replace(/\/+$/, ''),
    trustProxy: {
      addresses: given.trustProxy?.addresses ?? ['127.0.0.0/8', '::1/128'],
      forwardedFor: given.trustProxy?.forwardedFor ?? 'set',
    },
    corsOrigins: given.corsOrigins ?? [],
    allowHosts: given.allowHosts ?? [],
    mail: { ...given.mail, limits: { perTenant: 50, total: 500, ...given.mail?.limits } },
    push: given.push ?? {},
    appScheme: given.appScheme ?? 'copydesk',
    commands: given.commands ?? {},
    worker: { concurrency: given.worker?.concurrency ?? 4 },
    log: { level: given.log?.level ?? 'info', ...(given.log?.format && { format: given.log.format }) },
    encryptionKeys: given.encryptionKeys ?? [],
    signingKeys: given.signingKeys ?? [],
    keysFromFile: [],
    providers: given.providers ?? {},
    channels: given.channels ?? {},
    models: given.models ?? {},
    ...(given.embeddings && { embeddings: given.embeddings }),
    ...(given.rerank && { rerank: given.rerank }),
    ...(given.images && { images: given.images }),
    ...(given.sms && { sms: given.sms }),
    ...(given.payments && { payments: given.payments }),
    invoicing: given.invoicing ?? {},
    quotas: {
      tenantMb: given.quotas?.tenantMb ?? 5_120,
      installationMb: given.quotas?.installationMb ?? 51_200,
    },
    registration: given.registration ?? 'closed',
    freeTenants: {
      perDay: given.freeTenants?.perDay ?? 10,
      monthlyUsd: given.freeTenants?.monthlyUsd ?? 50,
    },
    ...(given.defaultModel && { defaultModel: given.defaultModel }),
  }
}

/** The path of an SQLite file is relative to the data folder. */
function databaseUrl(url: string, dataDir: string): string {
  return url.startsWith('sqlite:') ? `sqlite:${resolve(dataDir, url.replace(/^sqlite:(\/\/)?/, ''))}` : url
}

function put(target: Record<string, unknown>, [head = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    target[head] = value
    return
  }
  if (typeof target[head] !== 'object' || target[head] === null) target[head] = record()
  put(target[head] as Record<string, unknown>, rest, value)
}

/** Without a prototype, so that a name such as `__proto__` in a file is an ordinary name. */
function record(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}

/** Lists all faults, one a line. */
function faulty(error: z.ZodError, sources: ReadonlyMap<string, string>): Failure {
  const lines = error.issues.flatMap((issue) => {
    const path = issue.path.map(String)
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
    return names.map((name) => {
      const source = sourceOf(name, sources)
      const what = issue.code === 'unrecognized_keys' ? 'unknown setting' : inWords(issue.message)
      return `${name.join('.')}: ${what}${source ? ` (${source})` : ''}`
    })
  })
  return wrongUsage(
    lines.length === 1
      ? `Configuration: ${lines[0]}`
      : `The configuration has ${lines.length} errors:\n  ${lines.join('\n  ')}`,
  )
}

function inWords(message: string): string {
  const type = /^Invalid input: expected (.+), received (.+)$/.exec(message)
  if (type) return type[2] === 'undefined' ? 'is missing' : `must be of type ${type[1]}, not ${type[2]}`
  const options = /^Invalid option: expected one of (.+)$/.exec(message)?.[1]
  return options ? `must be one of ${options.replaceAll('"', '').replaceAll('|', ', ')}` : message
}

/** The source of a value, of its parent, or of one of its children. */
function sourceOf(path: readonly string[], sources: ReadonlyMap<string, string>): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const source = sources.get(path.slice(0, length).join('.'))
    if (source) return source
  }
  return [...sources].find(([name]) => name.startsWith(`${path.join('.')}.`))?.[1]
}
