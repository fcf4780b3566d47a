import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { WrittenFile } from '../platform/blobs/blobs.ts'
import { bodyTooLarge } from './body.ts'

/** What one file field of a form takes. */
export interface FileRule {
  /** Largest file in bytes. */
  maxBytes: number
  /** Default 1. */
  maxFiles?: number
  /** All files of the field together, bytes. */
  maxTotalBytes?: number
  /** Least number of files; default 1, so that the field is required. */
  minFiles?: number
  /** Media types or file name endings, such as `text/csv` and `.md`; anything when absent. */
  types?: readonly string[]
  /** Hands over a file that is too large, cut and marked, instead of answering 413. */
  keepTooLarge?: boolean
}

export type FileRules = Readonly<Record<string, FileRule>>

/** One received file. It can be read until the answer is given. */
export interface UploadedFile {
  field: string
  /** The last part of the name that the client gave. */
  name: string
  /** As the client declares it, without parameters. */
  type: string
  /** Size in bytes; of what was kept when the file is too large. */
  size: number
  /** Of the content, lower-case hex. */
  sha256: string
  /** Cut at the cap; only where the rule keeps such files. */
  tooLarge: boolean
  /** As a store takes it: what is in memory, or the file that it waits in. */
  content: Buffer | WrittenFile
  bytes(): Promise<Buffer>
  stream(): Readable
}

/** The received files by field. */
export type Upload<F extends FileRules> = { [K in keyof F]: UploadedFile[] }

/** Files up to this size stay in memory. */
const inMemory = 64 * 1024

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
      const out = createWriteStream(path, { mode: 0o600, flags: 'wx' })
      // A full disk is told at any time. Where no one listens at that moment, it would end the process.
      out.on('error', () => undefined)
      return { path, out }
    },
    async discard() {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}

type Named = Pick<UploadedFile, 'field' | 'name' | 'type'>

/**
 * Reads one file to its end: into memory, or to disk from 64 KiB on.
 * @throws DomainError `PAYLOAD_TOO_LARGE`; the error of the disk, or of a sender that has left
 */
export async function keep(
  aside: Aside,
  content: Readable,
  rule: FileRule,
  named: Named,
): Promise<UploadedFile> {
  const hash = createHash('sha256')
  let chunks: Buffer[] = []
  let size = 0
  let cut = false
  let spill: { path: string; out: WriteStream } | undefined
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      if (cut) continue
      const room = rule.maxBytes - size
      cut = chunk.length > room
      if (cut && !rule.keepTooLarge) throw bodyTooLarge(rule.maxBytes, named.field)
      const part = cut ? chunk.subarray(0, room) : chunk
      size += part.length
      hash.update(part)
      if (!spill && size > inMemory) {
        spill = await aside.open()
        for (const early of chunks) spill.out.write(early)
        chunks = []
      }
      if (spill) await write(spill.out, part)
      else chunks.push(part)
    }
    if (spill) await finished(spill.out.end())
  } catch (error) {
    // A removed file that is still open keeps its place on the disk.
    spill?.out.destroy()
    throw error
  }
  const path = spill?.path
  const whole = path === undefined ? Buffer.concat(chunks, size) : undefined
  const sha256 = hash.digest('hex')
  return {
    ...named,
    name: cleanName(named.name),
    size,
    sha256,
    tooLarge: cut,
    content: whole ?? { path: path as string, size, sha256 },
    bytes: async () => whole ?? readFile(path as string),
    stream: () => (whole ? Readable.from([whole]) : createReadStream(path as string)),
  }
}

/** Writes a part, and waits while too much of it is on its way. @throws what the disk has failed with, also before */
async function write(out: WriteStream, part: Buffer): Promise<void> {
  if (out.errored) throw out.errored
  if (!out.write(part)) await once(out, 'drain')
}

function cleanName(name: string | undefined): string {
  // biome-ignore lint: control characters are what must go
  const clean = (name ?? '')
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .trim()
  // Its end tells what it is. Half a character, which no database takes, may be left where it is cut.
  return clean === '' ? 'file' : clean.slice(-longestName).replace(/^[\udc00-\udfff]/, '')
}

/** Characters of the name of a file. */
const longestName = 255
