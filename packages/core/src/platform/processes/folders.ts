import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders in which programs work, for the owner of the process only. */
export interface Folders {
  /** An empty folder of this name, whatever stood there before. @returns its path */
  open(name: string): Promise<string>
  /** A folder of this name that stays. @returns its path */
  lasting(name: string): Promise<string>
  remove(name: string): Promise<void>
  /** Puts a folder aside, to be looked into. @returns where it is now */
  keep(name: string, as: string): Promise<string>
  /** Removes what was put aside before, and what a killed server has left. @returns how many */
  prune(before: Date): Promise<number>
}

const mode = 0o700

export function createFolders(root: string): Folders {
  const at = (name: string) => join(root, 'folders', name)
  const kept = join(root, 'kept')
  const remove = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 })
  const made = async (path: string) => {
    await mkdir(path, { recursive: true, mode })
    return path
  }
  return {
    async open(name) {
      await remove(at(name))
      return made(at(name))
    },
    lasting: (name) => made(join(root, 'homes', name)),
    remove: (name) => remove(at(name)),
    async keep(name, as) {
      const target = join(await made(kept), as)
      await remove(target)
      await rename(at(name), target)
      return target
    },
    async prune(before) {
      let removed = 0
      for (const place of [kept, join(root, 'folders')]) {
        for (const name of await readdir(place).catch(() => [])) {
          // Another process may have been faster.
          const found = await stat(join(place, name)).catch(() => undefined)
          if (!found || found.ctime >= before) continue
          await remove(join(place, name))
          removed += 1
        }
      }
      return removed
    },
  }
}
