import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../shell/failure.ts'

/** A session that was opened with a password. */
export interface Session {
  refreshToken: string
  /** The latest access token; it is renewed when it expires. */
  accessToken: string
}

/** A server and a credential. Exactly one of `apiKey` and `session` is set. */
export interface Profile {
  /** Address of the server, without a path. The credential is sent nowhere else. */
  url: string
  apiKey?: string
  session?: Session
  user: { name: string; email: string; role: string }
  /** The tenant of an admin or a member. */
  tenant?: { id: string; name: string }
  /** Default tenant of commands that accept one. */
  tenantId?: string
}

export interface Profiles {
  current?: string
  profiles: Record<string, Profile>
}

export type Environment = Readonly<Record<string, string | undefined>>

const onWindows = process.platform === 'win32'
/** A lock that was not refreshed for this long is stale, milliseconds. */
const abandonedMs = 30_000
const askAgainMs = 20

/** The file of the profiles: `$XDG_CONFIG_HOME/copydesk/profiles.json`, by default in `~/.config`. */
export function profilesFile(env: Environment): string {
  const home = env['HOME'] || homedir()
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'copydesk', 'profiles.json')
}

/**
 * All profiles; none when there is no file.
 * @param warn called when others could read the file, whose permissions are restricted at once
 * @throws Failure when the file is damaged
 */
export async function readProfiles(file: string, warn?: (message: string) => void): Promise<Profiles> {
  let text: string
  try {
    if (!onWindows && ((await stat(file)).mode & 0o077) !== 0) {
      await chmod(file, 0o600)
      warn?.(`Others could read ${file}; now only you can. Its keys may be compromised: replace them.`)
    }
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw error
  }
  try {
    const found = JSON.parse(text) as Partial<Profiles> | null
    // Without a prototype: a name such as `constructor` must be found only when a profile has it.
    const profiles: Profiles['profiles'] = Object.create(null)
    if (typeof found?.profiles === 'object')
      return { ...found, profiles: Object.assign(profiles, found.profiles) }
  } catch {
    // Reported below, together with JSON of the wrong shape.
  }
  throw new Failure(`${file} is damaged. Move it away and log in again with \`copydesk login\`.`)
}

/**
 * Changes the profiles atomically, one process at a time; the file is readable by its owner only.
 * @returns what `change` returned
 */
export async function changeProfiles<T>(
  file: string,
  change: (profiles: Profiles) => T | Promise<T>,
): Promise<T> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await using _lock = await lockOf(`${file}.lock`)
  const profiles = await readProfiles(file)
  const result = await change(profiles)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(profiles, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return result
}

/** Waits for the lock on the file. */
async function lockOf(path: string): Promise<AsyncDisposable> {
  while (true) {
    try {
      await (await open(path, 'wx', 0o600)).close()
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    await takeAway(path)
    await new Promise((resolve) => setTimeout(resolve, askAgainMs))
  }
  // Refreshed, so that waiting processes do not take the lock for stale.
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), 5_000)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      await rm(path, { force: true })
    },
  }
}

/** Removes a stale lock. It is renamed first: of several processes that find it, only one can. */
async function takeAway(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs < abandonedMs) return
    const aside = `${path}.${randomBytes(6).toString('hex')}`
    await rename(path, aside)
    await rm(aside, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
