import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Alternative {
  name: string
  /** Packages with their versions, as in `package.json`. */
  dependencies: Record<string, string>
  /** Packages that are needed to start but are not used: each is replaced by an empty one. */
  unused?: readonly string[]
  /** Packages that are compiled when there is no binary for this machine. */
  compiled?: readonly string[]
}

/** A program that the npm registry or this machine does not give. */
export class NotInstalled extends Error {}

const patienceMs = 900_000

/**
 * Installs a program from the npm registry outside of the repository, and keeps it for the next run.
 * @returns its folder
 * @throws NotInstalled when it cannot be installed here
 */
export function installAlternative({ name, dependencies, unused = [], compiled = [] }: Alternative): string {
  const folder = join(tmpdir(), 'copydesk-bench-alternatives', name)
  const done = join(folder, `installed-${Object.values(dependencies).join('-')}`)
  if (existsSync(done)) return folder
  rmSync(folder, { recursive: true, force: true })
  for (const absent of unused) {
    const empty = join(folder, 'empty', absent)
    mkdirSync(empty, { recursive: true })
    writeFileSync(
      join(empty, 'package.json'),
      JSON.stringify({ name: absent, version: '1.0.0', main: 'index.js' }),
    )
    writeFileSync(join(empty, 'index.js'), 'module.exports = {}\n')
  }
  mkdirSync(folder, { recursive: true })
  const overrides = Object.fromEntries(unused.map((absent) => [absent, `file:./empty/${absent}`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }))
  const npm = (...args: string[]) => {
    try {
      execFileSync('npm', args, { cwd: folder, timeout: patienceMs, stdio: ['ignore', 'ignore', 'pipe'] })
    } catch (error) {
      const said = String((error as { stderr?: Buffer }).stderr ?? error)
      throw new NotInstalled(
        `npm ${args[0]} failed: ${said.split('\n').find((line) => line.includes('error')) ?? said}`,
      )
    }
  }
  npm('install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts')
  if (compiled.length > 0) npm('rebuild', ...compiled)
  writeFileSync(done, '')
  return folder
}
