import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockedPackage {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  hasInstallScript?: boolean
}

/** Packages that install with others: the program itself and the libraries that are published. */
const published = ['', 'packages/core', 'packages/language', 'packages/writer', 'packages/client']
/** npm marks every package that ships a `binding.gyp`; this one says `gypfile: false` and compiles nothing. */
const gypFalsePositives = new Set(['better-sqlite3'])

/**
 * npm runs no install script that the user has not approved, `npx` included, so nothing that is needed at run time may
 * have one; and better-sqlite3 before 13 ends the process on recent Node 24.
 * @returns one sentence for each package of the lock file that breaks this
 */
export function dependencyFaults(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  const faults: string[] = []
  for (const [path, { version = '' }] of Object.entries(lock.packages)) {
    if (path.endsWith('node_modules/better-sqlite3') && !version.startsWith('13.')) {
      faults.push(`${path} is ${version}: only better-sqlite3 13 may be in the tree.`)
    }
  }
  for (const path of runtimePackages(lock.packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (lock.packages[path]?.hasInstallScript && !gypFalsePositives.has(name)) {
      faults.push(`${path} has an install script, and is needed at run time.`)
    }
  }
  return faults
}

/** Everything that the published packages bring along, as paths in the lock file. */
function runtimePackages(packages: Record<string, LockedPackage>): Set<string> {
  const seen = new Set<string>()
  const visit = (path: string) => {
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolve(packages, path, name)
      if (found === undefined || seen.has(found)) continue
      seen.add(found)
      visit(found)
    }
  }
  for (const path of published) visit(path)
  return seen
}

/** Looks for `name` as Node would: in the nearest node_modules, then further up. */
function resolve(packages: Record<string, LockedPackage>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}
