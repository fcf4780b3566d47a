import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The licence texts of every package that the given modules come from, one after the other, in order of their names. */
export function licenceNotes(modules: readonly string[]): string {
  const packages = new Map<string, string>()
  for (const id of modules) {
    const folder = packageFolder(id)
    if (!folder) continue
    const { name, version } = manifest(folder)
    packages.set(`${name} ${version}`, folder)
  }
  const notes = [...packages].sort(([a], [b]) => (a < b ? -1 : 1))
  return notes.map(([title, folder]) => `${title}\n\n${licenceFile(folder)}`).join(`\n${'-'.repeat(80)}\n\n`)
}

/** The licence of one package: its file, else what its manifest says. */
export function licenceFile(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|-|$)/i.test(name))
  if (file) return `${readFileSync(join(folder, file), 'utf8').trim()}\n`
  const { license, author } = manifest(folder)
  const holder = typeof author === 'string' ? author : author?.name
  return `License: ${license ?? 'not stated'}${holder ? `, ${holder}` : ''}\n`
}

interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name: string }
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The folder under node_modules that a bundled module belongs to; modules of this repository have none. */
function packageFolder(id: string): string | undefined {
  const path = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id.replace(/^\0+/, ''))?.[1]
  if (!path || !existsSync(join(path, 'package.json'))) return undefined
  return dirname(join(path, 'package.json'))
}
