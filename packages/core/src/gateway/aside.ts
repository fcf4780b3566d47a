import { randomUUID } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where large files of one request wait until it is answered. */
export interface Aside {
  open(): Promise<{ path: string; out: WriteStream }>
  discard(): Promise<void>
}

/** A folder that only this process reads, made when the first large file comes. */
export function createAside(): Aside {
  let folder: Promise<string> | undefined
  return {
    async open() {
      folder ??= mkdtemp(join(tmpdir(), 'copydesk-upload-'))
      const path = join(await folder, randomUUID())
      return { path, out: createWriteStream(path, { mode: 0o600, flags: 'wx' }) }
    },
    async discard() {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}
