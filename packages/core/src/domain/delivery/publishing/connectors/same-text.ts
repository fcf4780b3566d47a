import { sha256Hex } from '../../../../platform/crypto/hash.ts'

/**
 * Whether two texts say the same, whatever a platform has done to spaces, marks and addresses: it is how a post is found again whose
 * answer was lost.
 * @param shown as the platform has it, in plain text
 */
export function saysTheSame(shown: string, sent: string): boolean {
  const wanted = lettersOf(sent)
  return wanted !== '' && lettersOf(shown) === wanted
}

/** By it a post is found again whose text is not known any more: alike for texts that say the same; empty for a text without letters. */
export function fingerprintOf(text: string): string {
  const letters = lettersOf(text)
  return letters === '' ? '' : sha256Hex(letters).slice(0, 32)
}

const lettersOf = (text: string) => text.normalize('NFC').replace(/[^\p{L}\p{N}\p{So}]+/gu, '')

/** The text of HTML that a platform has made of a post. */
export function textOfHtml(html: string): string {
  return html.replace(/<[^<>]*>/g, ' ').replace(/&(?:lt|gt|quot|amp|nbsp|#0?39|apos);/g, ' ')
}

/** Made when it is needed: it reads the rules of Unicode. */
let segments: Intl.Segmenter | undefined

/** What people see as characters: one of several code points counts once. */
export function graphemesOf(text: string): number {
  segments ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let count = 0
  for (const _ of segments.segment(text)) count += 1
  return count
}
