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

/** A part of a blob: the first and the last byte of it, counted from 0. */
export interface ByteRange {
  start: number
  end: number
}

/** A blob as a list shows it. */
export interface ListedBlob {
  key: string
  size: number
  writtenOn: Date
}

/** A file of this machine that no one writes to any more, with what was learned while it was written. */
export interface WrittenFile {
  path: string
  size: number
  /** In hex. */
  sha256: string
}

/** What a public address of a blob answers with, and for how long. */
export interface BlobLink {
  /** 1 to 3,600. */
  seconds: number
  contentType: string
}

/**
 * Files by key. A key is 1 to 512 characters: segments of letters, digits, `.`, `_` and `-` that begin with a letter
 * or digit, joined by `/`. Anyone who writes a key names the owner in it. Every function may throw {@link BlobError}.
 */
export interface Blobs {
  /**
   * Stores bytes, whole or not at all; a blob of that key is replaced. When it returns, the bytes are stored durably.
   * @returns the size in bytes and the SHA-256 in hex. An error of the source stream comes out as it is.
   */
  put(
    key: string,
    source: Uint8Array | AsyncIterable<Uint8Array> | WrittenFile,
  ): Promise<{ size: number; sha256: string }>
  /** All bytes, or undefined where there is no such blob. */
  get(key: string): Promise<Uint8Array | undefined>
  /**
   * Gives a file of this machine that holds the bytes to `read`, or undefined where there is no such blob. The file must not be
   * written to, and may be gone when `read` has ended.
   */
  withFile<T>(key: string, read: (path: string | undefined) => Promise<T>): Promise<T>
  /** The bytes as a stream, or undefined where there is no such blob. @param range within the blob */
  stream(key: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>
  /** Deletes a blob; one that is not there is no error. @returns whether there was one, as far as the store tells */
  remove(key: string): Promise<boolean>
  /** All blobs, or those whose keys begin with whole segments, in no particular order. @param prefix without a final `/` */
  list(prefix?: string): AsyncIterable<ListedBlob>
  /**
   * An address at which anyone reads the blob without a credential for a short time. Never log it.
   * @returns undefined where the store has no address of its own
   */
  link(key: string, options: BlobLink): Promise<string | undefined>
  /** Removes what uploads have left that were broken off before then. @returns how many */
  tidy(before: Date): Promise<number>
  /** Writes and deletes a small file; throws where the store cannot be written. */
  check(): Promise<void>
  /** Closes its connections. */
  close(): Promise<void>
}

const KEY = /^[A-Za-z0-9][\w.-]{0,199}(?:\/[A-Za-z0-9][\w.-]{0,199})*$/

export const isBlobKey = (key: string): boolean => key.length <= 512 && KEY.test(key)

/** @throws BlobError `bad_key` */
export function requireKey(key: string): void {
  if (isBlobKey(key)) return
  const rule = 'letters, digits, ".", "_" and "-", segments joined by "/", none beginning with a dot'
  throw new BlobError('bad_key', `Not a blob key: ${JSON.stringify(key.slice(0, 80))}. Use ${rule}.`)
}
