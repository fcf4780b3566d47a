import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../vendors/', import.meta.url))
const require = createRequire(`${folder}package.json`)

/**
 * Fetches the libraries of `test/vendors`, once, with those of its lock file. They are large and serve these tests alone, so they are no
 * dependencies of the project.
 */
export function fetchVendors(): void {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' })
}

/** A module of one of them. @param name as `require` takes it */
export const vendor = <T>(name: string): T => require(name) as T
