import { constants, deflateRawSync } from 'node:zlib'

/** The content of an entry: text, bytes, or bytes that are deflated already and claim a size. */
export type ZipContent = string | Uint8Array | { deflated: Uint8Array; size: number }

/** A ZIP file of entries by their names. Checksums are 0: what is tested here does not look at them. */
export function zipOf(entries: Record<string, ZipContent>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const file = Buffer.from(name)
    const { deflated, size } =
      typeof content === 'string' || content instanceof Uint8Array ? deflate(content) : content
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    // Names are in UTF-8; the content is deflated.
    fields.writeUInt16LE(0x0800, 2)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(deflated.length, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(file.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, file, deflated])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, place, file]))
    parts.push(local)
    offset += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end])
}

function deflate(content: string | Uint8Array) {
  const bytes = Buffer.from(content)
  return { deflated: deflateRawSync(bytes), size: bytes.length }
}

/** The content of an entry that takes some kilobytes, and inflates to gigabytes of spaces. */
export function zipBomb(gigabytes: number): { deflated: Buffer; size: number } {
  const part = 2 ** 24
  const parts = gigabytes * 64
  const deflated = deflateRawSync(Buffer.alloc(part, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  return {
    deflated: Buffer.concat([...Array<Buffer>(parts).fill(deflated), deflateRawSync('')]),
    size: parts * part,
  }
}
