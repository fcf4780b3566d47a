import type { Dirent } from 'node:fs'
import { glob, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { counted } from '../render/words.ts'
import { wrongUsage } from './failure.ts'

/** Maximum number of files of one command. */
const mostFiles = 10_000

/**
 * The files that paths mean, in their order, each once: files as they are; of folders everything in them but
 * hidden files and links; of patterns what they match, hidden files only where the pattern names them.
 * @throws Failure for a path that means nothing, and for too many files
 */
export async function filesToUpload(paths: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>()
  const add = (path: string) => {
    const whole = resolve(path)
    if (!found.has(whole)) found.set(whole, path)
    if (found.size > mostFiles)
      throw wrongUsage(`These are more than ${mostFiles} files: upload them in parts.`)
  }
  for (const path of paths) {
    let isEmpty = true
    for await (const file of filesAt(path)) {
      isEmpty = false
      add(file)
    }
    if (isEmpty) throw wrongUsage(`There are no files in ${path}; hidden files are left out.`)
  }
  return [...found.values()]
}

async function* filesAt(path: string): AsyncGenerator<string> {
  const kind = await kindOf(path)
  if (kind === 'folder') return yield* filesBelow(path)
  if (kind === 'file') return yield path
  if (kind === 'other') throw wrongUsage(`${path} is no file and no folder.`)
  if (!/[*?[{]/.test(path)) throw wrongUsage(`There is no file and no folder ${path}.`)
  const matches: string[] = []
  for await (const match of glob(path, { exclude: (name) => isHidden(name, path) })) {
    if (!isHidden(match, path)) matches.push(match)
    if (matches.length > mostFiles)
      throw wrongUsage(`${path} matches more than ${counted(mostFiles, 'file')}: upload them in parts.`)
  }
  for (const match of matches.toSorted()) {
    const matched = await kindOf(match)
    if (matched === 'folder') yield* filesBelow(match)
    if (matched === 'file') yield match
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted(byName)) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else if (entry.isFile()) yield path
  }
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1)

/** Whether a part of a path is hidden that the pattern does not name. */
function isHidden(path: string, pattern: string): boolean {
  const named = pattern.split('/')
  return path.split('/').some((part) => /^\.[^.]/.test(part) && !named.includes(part))
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined
    throw error
  }
}
