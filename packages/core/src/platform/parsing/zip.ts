import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { damaged, locked, tooLarge } from './faults.ts'
import { parsingLimits } from './limits.ts'
import { ParseFault } from './parsed.ts'
import type { DocumentSource } from './source.ts'

/** The entries of a ZIP file. What is inflated of them, each and together, is counted while it comes out, whatever the file says. */
export interface ZipEntries extends Disposable {
  has(name: string): boolean
  names(): Iterable<string>
  /** @throws ParseFault where it is missing, encrypted, damaged or too large */
  stream(name: string): AsyncIterable<Uint8Array>
  /** The whole entry. @throws ParseFault as `stream` */
  read(name: string): Promise<Buffer>
}

/**
 * Lists a ZIP file; nothing is inflated yet. Of a file on the disk only what is asked for is read.
 * @throws ParseFault `corrupt` for what is no complete ZIP file, `too_large` for one with too many entries
 */
export async function openZip(source: DocumentSource): Promise<ZipEntries> {
  const entries = new Map<string, Entry>()
  const zip = await listEntries(source, entries)
  let inflated = 0

  async function* stream(name: string): AsyncGenerator<Uint8Array> {
    const entry = entries.get(name)
    if (!entry) throw damaged()
    if (entry.isEncrypted()) throw locked()
    let size = 0
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        const { length } = chunk as Uint8Array
        size += length
        inflated += length
        checkSize(size, parsingLimits.entryBytes)
        checkSize(inflated, parsingLimits.zipBytes)
        yield chunk
      }
    } catch (error) {
      throw error instanceof ParseFault ? error : damaged(error)
    }
  }

  return {
    has: (name) => entries.has(name),
    names: () => entries.keys(),
    stream,
    async read(name) {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream(name)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    [Symbol.dispose]: () => zip.close(),
  }
}

/**
 * The names of the entries of a ZIP file; of a file on the disk only the list of them at its end is read.
 * @throws ParseFault as `openZip`
 */
export async function zipNames(source: DocumentSource): Promise<ReadonlySet<string>> {
  const entries = new Map<string, Entry>()
  const zip = await listEntries(source, entries)
  zip.close()
  return new Set(entries.keys())
}

async function listEntries(source: DocumentSource, entries: Map<string, Entry>): Promise<ZipFile> {
  let zip: ZipFile | undefined
  try {
    zip =
      source instanceof Uint8Array
        ? await fromBufferPromise(Buffer.from(source.buffer, source.byteOffset, source.byteLength))
        : await openPromise(source.path, { autoClose: false })
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= parsingLimits.zipEntries) throw tooLarge(parsingLimits.zipEntries, 'parts')
      entries.set(entry.fileName, entry)
    }
    return zip
  } catch (error) {
    zip?.close()
    throw error instanceof ParseFault ? error : damaged(error)
  }
}

function checkSize(size: number, limit: number): void {
  if (size > limit) throw tooLarge(limit / 2 ** 20, 'MB of content once it is unpacked')
}
