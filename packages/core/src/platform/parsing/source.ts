import { readFile, stat } from 'node:fs/promises'

/** A document in memory, or in a file of this machine: of that no more is read than is needed. */
export type DocumentSource = Uint8Array | { path: string }

export const wholeOf = async (source: DocumentSource): Promise<Uint8Array> =>
  source instanceof Uint8Array ? source : readFile(source.path)

/** In bytes. */
export const sourceSize = async (source: DocumentSource): Promise<number> =>
  source instanceof Uint8Array ? source.length : (await stat(source.path)).size
