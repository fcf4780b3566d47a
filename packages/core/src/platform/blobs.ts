import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import { randomToken } from './crypto/hash.ts'

/** `bad_key`: not a key at all. `full`: no room left. `io`: the store failed otherwise; see `cause`. */
export type BlobReason = 'bad_key' | 'full' | 'io'

export class BlobError extends Error {
  override readonly name = 'BlobError'
  readonly reason: BlobReason

  constructor(reason: BlobReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Files by key. A key is 1 to 512 characters: segments of letters, digits, `.`, `_` and `-` that begin with a letter
 * or digit, joined by `/`. Anyone who writes a key names the owner in it. Every function may throw {@link BlobError}.
 */
export interface Blobs {
  /**
   * Stores bytes, whole or not at all; a blob of that key is replaced. When it returns, the bytes are on the disk.
   * @returns the size in bytes and the SHA-256 in hex. An error of the source stream comes out as it is.
   */
  put(key: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<{ size: number; sha256: string }>
  /** All bytes, or undefined where there is no such blob. */
  get(key: string): Promise<Uint8Array | undefined>
  /** The file that holds the bytes, for those who read it elsewhere; undefined where there is no such blob. It must not be written to. */
  path(key: string): Promise<string | undefined>
  /** The bytes as a stream, or undefined where there is no such blob. */
  stream(key: string): Promise<ReadableStream<Uint8Array> | undefined>
  /** Deletes a blob; one that is not there is no error. @returns whether there was one */
  remove(key: string): Promise<boolean>
  /** Writes and deletes a small file; throws where the store cannot be written. */
  check(): Promise<void>
}

const KEY = /^[A-Za-z0-9][\w.-]{0,199}(?:\/[A-Za-z0-9][\w.-]{0,199})*$/

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
    async path(key) {
      const target = pathOf(root, key)
      try {
        return (await stat(target)).isFile() ? target : undefined
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw failure(key, 'read', error)
      }
    },
    async stream(key) {
      const target = pathOf(root, key)
      let file: FileHandle | undefined
      try {
        file = await open(target, 'r')
        if (!(await file.stat()).isFile()) {
          await file.close()
          return undefined
        }
        return Readable.toWeb(file.createReadStream()) as ReadableStream<Uint8Array>
      } catch (error) {
        await file?.close()
        if (isAbsent(error)) return undefined
        throw failure(key, 'read', error)
      }
    },
    async check() {
      const key = `check-${randomToken(9)}`
      await put(key, Buffer.from(key))
      await remove(key)
    },
  }
}

function pathOf(root: string, key: string): string {
  if (key.length <= 512 && KEY.test(key)) return join(root, ...key.split('/'))
  const rule = 'letters, digits, ".", "_" and "-", segments joined by "/", none beginning with a dot'
  throw new BlobError('bad_key', `Not a blob key: ${JSON.stringify(key.slice(0, 80))}. Use ${rule}.`)
}

/**
 * Writes beside the target and renames: a reader sees the old bytes or the new, a crash leaves no half file under the
 * key. The temporary name begins with a dot, which no key can.
 */
async function writeWhole(
  root: string,
  target: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  toFailure: (error: unknown) => BlobError,
) {
  const disk = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toFailure(error)
    })
  const directory = dirname(target)
  const made = await disk(mkdir(directory, { recursive: true, mode: 0o700 }))
  const temporary = join(directory, `.tmp-${randomToken(12)}`)
  const file = await disk(open(temporary, 'wx', 0o600))
  const hash = createHash('sha256')
  let size = 0
  try {
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
    await disk(rename(temporary, target))
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
  await disk(syncDirectory(directory))
  await disk(syncParents(root, directory, made))
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
