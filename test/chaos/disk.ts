import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from './random.ts'

/** Something that a process has done in its folder. Names are relative to it; its own is empty. */
export interface DiskStep {
  kind: 'create' | 'folder' | 'link' | 'rename' | 'sync' | 'truncate' | 'unlink' | 'write'
  name: string
  offset: number
  /** What was written, or the other name. */
  bytes: Buffer
}

interface DiskFile {
  isFolder: boolean
  /** What is on the disk for sure, with room to grow. */
  synced: Buffer
  size: number
  /** What was done since, of which a power cut leaves whatever it likes. */
  since: DiskStep[]
}

type Entries = Map<string, DiskFile>

const sector = 512
const parentOf = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('/')))

/** A disk that keeps for sure what was synced, of files and of the entries of folders, and of all else any part. */
export function createDisk() {
  const present: Entries = new Map()
  const synced: Entries = new Map()
  let since: Array<{ folder: string; change(entries: Entries): void }> = []
  const enter = (name: string, change: (entries: Entries) => void) => {
    change(present)
    since.push({ folder: parentOf(name), change })
  }
  const sync = (name: string, file: DiskFile) => {
    for (const step of file.since.splice(0)) write(file, step)
    for (const { folder, change } of since) if (folder === name) change(synced)
    since = since.filter(({ folder }) => folder !== name)
  }
  return {
    apply(step: DiskStep): void {
      const { kind, name } = step
      const file = present.get(name) ?? {
        isFolder: kind === 'folder',
        synced: Buffer.alloc(0),
        size: 0,
        since: [],
      }
      const other = step.bytes.toString()
      if (kind === 'create' || kind === 'folder') enter(name, (entries) => entries.set(name, file))
      else if (kind === 'link') enter(other, (entries) => entries.set(other, file))
      else if (kind === 'unlink') enter(name, (entries) => entries.delete(name))
      else if (kind === 'rename') enter(name, (entries) => entries.set(other, file).delete(name))
      else if (kind === 'sync') sync(name, file)
      else file.since.push(step)
    },
    /** Writes to an empty `folder` what is left when the power fails now. */
    leave(folder: string, random: Random): void {
      // All that was not synced, nothing of it, or any part of any of it.
      const mode = random()
      const isKept = () => mode < 0.25 || (mode > 0.5 && random() < 0.5)
      const entries = new Map(synced)
      for (const { change } of since) if (isKept()) change(entries)
      const isReached = (name: string): boolean =>
        name === '' || (entries.get(name)?.isFolder === true && isReached(parentOf(name)))
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      for (const [name, left] of entries) {
        if (left.isFolder || !isReached(parentOf(name))) continue
        const file = { synced: Buffer.from(left.synced.subarray(0, left.size)), size: left.size }
        for (const step of left.since) {
          if (mode > 0.5 && random() < 0.4) tear(file, step, random)
          else if (isKept()) write(file, step)
        }
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), file.synced.subarray(0, file.size))
      }
    },
  }
}

type Content = Pick<DiskFile, 'synced' | 'size'>

function write(file: Content, { kind, offset, bytes }: DiskStep): void {
  const end = offset + bytes.length
  if (end > file.synced.length)
    file.synced = Buffer.concat([file.synced.subarray(0, file.size)], Math.max(end, file.size * 2))
  if (kind === 'truncate') file.synced.fill(0, offset)
  bytes.copy(file.synced, offset)
  file.size = kind === 'truncate' ? offset : Math.max(file.size, end)
}

/** Leaves some sectors of a write. */
function tear(file: Content, step: DiskStep, random: Random): void {
  for (let from = 0; from < step.bytes.length; ) {
    const to = Math.min(from + sector - ((step.offset + from) % sector), step.bytes.length)
    const bytes = step.bytes.subarray(from, to)
    if (random() < 0.5) write(file, { ...step, offset: step.offset + from, bytes })
    from = to
  }
}
