import { createHash } from 'node:crypto'
import {
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readFile,
  rename,
  stat,
  unlink,
} from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { LRUCache } from 'lru-cache'
import { randomToken } from '../crypto/hash.ts'
import { BlobError, type Blobs, isBlobKey, type ListedBlob, requireKey, type WrittenFile } from './blobs.ts'
import { fileStream } from './file-stream.ts'

/** How the names of files begin that are still being written. No key has such a segment. */
const unfinished = '.tmp-'

/** Blobs in a directory of this machine, which is made when it is first written to. */
export function createDirectoryBlobs(directory: string): Blobs {
  const root = resolve(directory)

  const put: Blobs['put'] = async (key, source) => {
    const target = pathOf(root, key)
    return writeWhole(root, target, source, (error) => failure(key, 'written', error))
  }

  const remove: Blobs['remove'] = async (key) => {
    const target = pathOf(root, key)
    try {
      await unlink(target)
      await syncDirectory(dirname(target))
      return true
    } catch (error) {
      if (isAbsent(error)) return false
      throw failure(key, 'removed', error)
    }
  }

  const found = async (key: string): Promise<string | undefined> => {
    const target = pathOf(root, key)
    try {
      return (await stat(target)).isFile() ? target : undefined
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw failure(key, 'read', error)
    }
  }

  return {
    put,
    remove,
    async get(key) {
      const target = pathOf(root, key)
      try {
        return await readFile(target)
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw failure(key, 'read', error)
      }
    },
    async withFile(key, read) {
      return read(await found(key))
    },
    async stream(key, range) {
      const target = pathOf(root, key)
      let file: FileHandle | undefined
      try {
        file = await open(target, 'r')
        if (!(await file.stat()).isFile()) {
          await file.close()
          return undefined
        }
        return fileStream(file, range)
      } catch (error) {
        await file?.close()
        if (isAbsent(error)) return undefined
        throw failure(key, 'read', error)
      }
    },
    async *list(prefix) {
      for await (const { path, size, writtenOn } of filesBelow(
        prefix === undefined ? root : pathOf(root, prefix),
      )) {
        const key = relative(root, path).split(sep).join('/')
        if (isBlobKey(key)) yield { key, size, writtenOn } satisfies ListedBlob
      }
    },
    link: () => Promise.resolve(undefined),
    async tidy(before) {
      let removed = 0
      for await (const { path, name, writtenOn } of filesBelow(root)) {
        if (!name.startsWith(unfinished) || writtenOn >= before) continue
        await unlink(path).catch(() => {})
        removed += 1
      }
      return removed
    },
    async check() {
      const key = `check-${randomToken(9)}`
      await put(key, Buffer.from(key))
      await remove(key)
    },
    close: () => Promise.resolve(),
  }
}

function pathOf(root: string, key: string): string {
  requireKey(key)
  return join(root, ...key.split('/'))
}

/** The files of a directory and of those in it; one at a time, since there may be millions. */
async function* filesBelow(
  directory: string,
): AsyncGenerator<{ path: string; name: string; size: number; writtenOn: Date }> {
  try {
    for await (const entry of await opendir(directory)) {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) yield* filesBelow(path)
      if (!entry.isFile()) continue
      const { size, mtime } = await stat(path).catch(() => ({ size: undefined, mtime: new Date(0) }))
      // It was deleted meanwhile.
      if (size !== undefined) yield { path, name: entry.name, size, writtenOn: mtime }
    }
  } catch (error) {
    if (!isAbsent(error)) throw failure(directory, 'listed', error)
  }
}

/**
 * Writes beside the target and renames: a reader sees the old bytes or the new, a crash leaves no half file under the
 * key. The temporary name begins with a dot, which no key can.
 */
async function writeWhole(
  root: string,
  target: string,
  source: Uint8Array | AsyncIterable<Uint8Array> | WrittenFile,
  toFailure: (error: unknown) => BlobError,
) {
  const disk = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toFailure(error)
    })
  const directory = dirname(target)
  const made = await disk(mkdir(directory, { recursive: true, mode: 0o700 }))
  const temporary = join(directory, `${unfinished}${randomToken(12)}`)
  let written: { size: number; sha256: string }
  try {
    written = 'sha256' in source ? await disk(copy(source, temporary)) : await write(source, temporary, disk)
    await disk(rename(temporary, target))
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
  await disk(syncDirectory(directory))
  await disk(syncParents(root, directory, made))
  return written
}

/** The system copies it: its bytes do not come into this process. */
async function copy({ path, size, sha256 }: WrittenFile, to: string) {
  await copyFile(path, to, constants.COPYFILE_EXCL)
  const file = await open(to, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, sha256 }
}

async function write(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  to: string,
  disk: <T>(work: Promise<T>) => Promise<T>,
) {
  const file = await disk(open(to, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const bytes of source instanceof Uint8Array ? [source] : source) {
      hash.update(bytes)
      await disk(file.writeFile(bytes))
      size += bytes.byteLength
    }
    await disk(file.sync())
  } finally {
    await disk(file.close())
  }
  return { size, sha256: hash.digest('hex') }
}

/** Directories that are on the disk with all that leads to them. */
const safe = new LRUCache<string, true>({ max: 1_000 })

/**
 * A directory is only safe from a power cut once its parents are on the disk too, from the one that holds the store on. Who
 * finds a directory cannot know whether it was just made, so this is done once by each process.
 * @param made the topmost that was missing
 */
async function syncParents(root: string, directory: string, made: string | undefined): Promise<void> {
  if (safe.has(directory) && made === undefined) return
  const top = made !== undefined && made.length < root.length ? made : root
  for (let at = directory; at !== dirname(top); at = dirname(at)) {
    await syncDirectory(dirname(at)).catch((error: unknown) => {
      // One that holds the store and may not be read was there before.
      if (at !== root || !isSystemError(error) || error.code !== 'EACCES') throw error
    })
  }
  safe.set(directory, true)
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

function isAbsent(error: unknown): boolean {
  return isSystemError(error) && ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')
}

function failure(key: string, verb: string, cause: unknown): BlobError {
  const code = isSystemError(cause) ? cause.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new BlobError('full', `Blob ${key} could not be ${verb}: no room left on the disk.`, { cause })
  }
  return new BlobError('io', `Blob ${key} could not be ${verb} (${code ?? 'unknown error'}).`, { cause })
}
