import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const folder = fileURLToPath(new URL('../vendors/', import.meta.url))
const require = createRequire(`${folder}package.json`)

/**
 * Fetches the libraries of `test/vendors`, once, with those of its lock file, and again when that has changed. They are large and serve these
 * tests alone, so they are no dependencies of the project. Of several test files one fetches them, and the others wait.
 */
export async function fetchVendors(): Promise<void> {
  while (!isFetched()) {
    if (!beginFetching()) {
      await pause(200)
      continue
    }
    try {
      if (isFetched()) return
      await npm('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
      copyFileSync(lockFile, fetched)
    } finally {
      rmdirSync(fetching)
    }
  }
}

const npm = promisify(execFile)
const lockFile = `${folder}package-lock.json`
/** The lock file of those that are there. */
const fetched = `${folder}node_modules/.fetched-lock.json`
const fetching = `${folder}.fetching`

const isFetched = () =>
  existsSync(fetched) && readFileSync(fetched, 'utf8') === readFileSync(lockFile, 'utf8')

/** A folder is made by one only. One that a process has left that was killed is taken over after ten minutes. */
function beginFetching(): boolean {
  const begun = statSync(fetching, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (Date.now() - begun > 600_000) rmSync(fetching, { recursive: true, force: true })
  try {
    mkdirSync(fetching)
    return true
  } catch {
    return false
  }
}

/** A module of one of them. @param name as `require` takes it */
export const vendor = <T>(name: string): T => require(name) as T
