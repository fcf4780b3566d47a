import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }

/** What a version has left behind is removed after so long, when another one starts for the first time. */
const keptMs = 30 * 86_400_000

/**
 * Has Node keep the compiled form of what is loaded from now on for the next start, in a folder of this user: what another user
 * could write there would run as this one. `NODE_COMPILE_CACHE` names another folder, `NODE_DISABLE_COMPILE_CACHE=1` does without.
 * A folder that cannot be used is no error; then everything is compiled again.
 */
export function keepCompiledCode(): void {
  const { env } = process
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return
  const all = join(cacheFolder(), 'copydesk', 'code')
  const folder = join(all, manifest.version)
  try {
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
    if (!isPrivate(all) || !isPrivate(folder)) return
    if (isNew) removeOld(all)
  } catch {
    return
  }
  enableCompileCache(folder)
}

/** Where the system has users keep what can be made again. */
function cacheFolder(): string {
  const { env, platform } = process
  if (env['XDG_CACHE_HOME']) return env['XDG_CACHE_HOME']
  const home = env['HOME'] || homedir()
  if (platform === 'darwin') return join(home, 'Library', 'Caches')
  if (platform === 'win32') return env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
  return join(home, '.cache')
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder)
  // Windows has neither; there the folder is below that of the user's own.
  if (process.getuid === undefined) return true
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o022) === 0
}

function removeOld(all: string): void {
  for (const version of readdirSync(all)) {
    const folder = join(all, version)
    if (Date.now() - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true })
  }
}
