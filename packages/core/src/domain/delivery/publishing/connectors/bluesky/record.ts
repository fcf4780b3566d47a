import { sha256Hex } from '../../../../../platform/crypto/hash.ts'

const sortable = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * The key of an intent's record, a TID: 64 bits in base 32, of which 53 are the time in microseconds and 10 tell two of one instant
 * apart. The same at every attempt.
 */
export function recordKeyOf(key: string, madeAt: Date): string {
  const chance = Number.parseInt(sha256Hex(key).slice(0, 12), 16)
  const micros = BigInt(madeAt.getTime()) * 1_000n + BigInt(chance % 1_000)
  let rest = (micros << 10n) | BigInt(Math.floor(chance / 1_000) % 1_024)
  let text = ''
  for (let n = 0; n < 13; n += 1) {
    text = `${sortable[Number(rest & 31n)]}${text}`
    rest >>= 5n
  }
  return text
}

interface Facet {
  index: { byteStart: number; byteEnd: number }
  features: { $type: string; uri?: string; tag?: string }[]
}

const marks = /(https?:\/\/[^\s<>]+)|(?<=^|\s)#([\p{L}\p{N}_]{1,64})(?![\p{L}\p{N}_])/gu

/** Links and tags of a text: the network finds none by itself. They are placed by bytes in UTF-8. */
export function facetsOf(text: string): { facets?: Facet[] } {
  const facets: Facet[] = []
  for (const { index, 0: found, 1: link, 2: tag = '' } of text.matchAll(marks)) {
    // A full stop behind an address ends the sentence.
    const words = link === undefined ? found : found.replace(/[.,;:!?)\]'"]+$/, '')
    const byteStart = Buffer.byteLength(text.slice(0, index))
    facets.push({
      index: { byteStart, byteEnd: byteStart + Buffer.byteLength(words) },
      features: [
        link === undefined
          ? { $type: 'app.bsky.richtext.facet#tag', tag }
          : { $type: 'app.bsky.richtext.facet#link', uri: words },
      ],
    })
  }
  return facets.length > 0 ? { facets } : {}
}
