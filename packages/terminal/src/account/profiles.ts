import { chmod, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { Failure } from '../shell/failure.ts'

/** A session of somebody who has logged in with a password. */
export interface Session {
  refreshToken: string
  /** The newest access token; there is another where it has ended. */
  accessToken: string
}

/** Where somebody works and as whom. Exactly one of `apiKey` and `session` is there. */
export interface Profile {
  /** Where the server is, without a path. The credential is sent there and nowhere else. */
  url: string
  apiKey?: string
  session?: Session
  user: { name: string; email: string; role: string }
  /** Of an admin or a member: the one tenant that they belong to. */
  tenant?: { id: string; name: string }
  /** Commands that can be narrowed to a tenant are, unless another is named. */
  tenantId?: string
}

export interface Profiles {
  current?: string
  profiles: Record<string, Profile>
}

export type Environment = Readonly<Record<string, string | undefined>>

const onWindows = process.platform === 'win32'
/** A lock of which nobody has been heard for so long belongs to a process that is gone, milliseconds. */
const abandonedMs = 30_000
const askAgainMs = 20

/** The file in which profiles are kept: `$XDG_CONFIG_HOME/copydesk/profiles.json`, by default in `~/.config`. */
export function profilesFile(env: Environment): string {
  const home = env['HOME'] || homedir()
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'copydesk', 'profiles.json')
}

/**
 * All profiles; none where there is no file.
 * @param warn told when others could read the file, which is mended at once
 * @throws Failure when the file is damaged
 */
export async function readProfiles(file: string, warn?: (message: string) => void): Promise<Profiles> {
  let text: string
  try {
    if (!onWindows && ((await stat(file)).mode & 0o077) !== 0) {
      await chmod(file, 0o600)
      warn?.(`Others could read ${file}; now only you can. Keys in it may be known: think of new ones.`)
    }
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw error
  }
  try {
    const found = JSON.parse(text) as Partial<Profiles> | null
    // Without a prototype: nobody's profile is called `constructor` unless somebody has called it so.
    const profiles: Profiles['profiles'] = Object.create(null)
    if (typeof found?.profiles === 'object')
      return { ...found, profiles: Object.assign(profiles, found.profiles) }
  } catch {
    // Said below, as for a file that is JSON and holds something else.
  }
  throw new Failure(`${file} is damaged. Move it away and log in again with \`copydesk login\`.`)
}

/**
 * Changes the profiles, one process at a time; the file is whole at every moment and readable by its owner only.
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

/** Waits until this process is the only one that changes the file. */
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
  // Whoever waits sees that somebody is still at it.
  const beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), 5_000)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat)
      await rm(path, { force: true })
    },
  }
}

/** Takes a lock away that a process has left behind. It is moved first: of several that find it, one can. */
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
