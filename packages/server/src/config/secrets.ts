import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@copydesk/terminal/failure'
import { Secrets } from './schema.ts'
import { syncFolder } from './sync-folder.ts'

/** The file of an installation's keys when the configuration does not contain them. */
export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/**
 * Reads the keys of the data folder.
 * @returns undefined when there is no such file
 * @throws Failure when it is damaged or cannot be read
 */
export function readSecrets(dataDir: string): Secrets | undefined {
  const file = secretsFile(dataDir)
  if (!existsSync(file)) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Failure(
      `The secrets file ${file} cannot be read (${code}). Start Copydesk as the user that owns it.`,
    )
  }
  const remedy = 'Restore it from a backup: without its keys no stored secret can be decrypted.'
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Failure(`The secrets file ${file} is damaged. ${remedy}`)
  }
  // Used once, so that making functions for it would take longer than it takes.
  const parsed = Secrets().safeParse(content, { jitless: true })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Failure(
    `The secrets file ${file} is damaged: ${issue?.path.join('.')} ${issue?.message}. ${remedy}`,
  )
}

/**
 * Generates new keys and writes them atomically, readable by the owner only. Never replaces an existing file:
 * when another process was faster, returns the keys of that process.
 */
export function createSecrets(dataDir: string): Secrets {
  const secrets: Secrets = { encryptionKeys: [newEncryptionKey([])], signingKeys: [newSigningKey([])] }
  const draft = writeDraft(dataDir, secrets)
  try {
    linkSync(draft, secretsFile(dataDir))
    syncFolder(dataDir)
    return secrets
  } catch (error) {
    const existing = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecrets(dataDir) : undefined
    if (existing) return existing
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * True when users other than the owner may read the keys. Not checked on Windows, which has other access
 * rights.
 */
export function areSecretsExposed(dataDir: string): boolean {
  const file = secretsFile(dataDir)
  return process.platform !== 'win32' && existsSync(file) && (statSync(file).mode & 0o077) !== 0
}

/** A new key with an id that none of `others` has. */
export function newEncryptionKey(others: Secrets['encryptionKeys']): Secrets['encryptionKeys'][number] {
  return { ...named(others), key: randomBytes(32).toString('base64') }
}

export function newSigningKey(others: Secrets['signingKeys']): Secrets['signingKeys'][number] {
  return { ...named(others), secret: randomBytes(48).toString('base64url') }
}

function named(others: ReadonlyArray<{ id: string }>): { id: string; createdAt: string } {
  const numbers = others.map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0))
  return { id: `k${Math.max(0, ...numbers) + 1}`, createdAt: new Date().toISOString() }
}

/**
 * Changes the keys of the data folder atomically. One change at a time: a key that another process has just
 * created and used must not be lost.
 * @throws Failure when there is no such file, or another process is changing it
 */
export function changeSecrets(dataDir: string, change: (secrets: Secrets) => Secrets): Secrets {
  const lock = join(dataDir, '.secrets-lock')
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    throw new Failure(
      `Another process is changing the keys. Try again in a moment; if there is no such process, delete ${lock} first.`,
      { cause },
    )
  }
  try {
    const before = readSecrets(dataDir)
    if (!before) throw new Failure(`There is no secrets file at ${secretsFile(dataDir)}.`)
    const after = change(before)
    renameSync(writeDraft(dataDir, after), secretsFile(dataDir))
    // Whatever is encrypted with a new key is lost with it.
    syncFolder(dataDir)
    return after
  } finally {
    rmSync(lock, { force: true })
  }
}

/** @returns the path of a file beside the secrets file that contains the keys and is synced to disk */
function writeDraft(dataDir: string, secrets: Secrets): string {
  const draft = join(dataDir, `.secrets-${randomBytes(6).toString('hex')}`)
  const handle = openSync(draft, 'wx', 0o600)
  try {
    // All of it or an error: on a full disk a single write may take a part.
    writeFileSync(handle, `${JSON.stringify(secrets, null, 2)}\n`)
    fsyncSync(handle)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
  return draft
}
