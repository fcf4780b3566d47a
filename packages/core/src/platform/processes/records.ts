import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../log.ts'
import { isAlive, signalGroup, startOf } from './identity.ts'

/** A process group that a server has started, as it stands on the disk so that the next server finds it. */
interface Entry {
  host: string
  /** The leader of the group. */
  pid: number
  start: string
  server: { pid: number; start: string }
}

/** The process groups that servers of this data folder have in progress. */
export interface Records {
  add(name: string, pid: number): void
  remove(name: string): void
  /** Ends the groups of servers that are gone, as after a `kill -9`. @returns how many there were */
  reap(): number
}

/** @param folder made when the first one is added */
export function createRecords(folder: string, log: Logger): Records {
  const fileOf = (name: string) => join(folder, `${name}.json`)
  const remove = (name: string) => rmSync(fileOf(name), { force: true })
  const own = { pid: process.pid, start: startOf(process.pid) ?? '' }
  return {
    add(name, pid) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const entry: Entry = { host: hostname(), pid, start: startOf(pid) ?? '', server: own }
      // Without waiting: what is started and not written down would be lost with the server.
      writeFileSync(fileOf(name), JSON.stringify(entry), { mode: 0o600 })
    },
    remove,
    reap() {
      let reaped = 0
      for (const name of namesIn(folder)) {
        const entry = read(fileOf(name))
        if (entry && entry.host !== hostname() && !isOld(fileOf(name))) continue
        if (entry && entry.host === hostname() && isAlive(entry.server)) continue
        if (entry?.host === hostname() && isSameGroup(entry) && signalGroup(entry.pid, 'SIGKILL')) {
          reaped += 1
          log.warn('a process was ended that an earlier server had left', { process: name, pid: entry.pid })
        }
        remove(name)
      }
      return reaped
    },
  }
}

/** As long as a group has members, no other process gets its number: where the leader is gone, they are the ones. */
function isSameGroup(entry: Entry): boolean {
  const now = startOf(entry.pid)
  return now === undefined ? signalGroup(entry.pid, 0) : now === entry.start
}

/** Longer than any run: its machine is not coming back under this name, as a container that was replaced. */
const longMs = 7 * 86_400_000

function isOld(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > longMs
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
  } catch {
    return []
  }
}

/** @returns undefined for a file that was cut off: the server died while it wrote */
function read(file: string): Entry | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Entry
  } catch {
    return undefined
  }
}
