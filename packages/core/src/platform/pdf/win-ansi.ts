/** What the built-in fonts of every PDF reader can show, beside Latin-1. */
const extra = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')

const has = (sign: string) =>
  (sign >= ' ' && sign <= '~') || (sign >= '\u00a0' && sign <= 'ÿ') || extra.has(sign)

/** A text in the signs that the built-in fonts have: others lose their accents, or become `?`. */
export function toWinAnsi(text: string): string {
  let shown = ''
  for (const sign of text.normalize('NFC')) {
    if (has(sign)) shown += sign
    else if (/\s/u.test(sign)) shown += ' '
    else if (!/\p{M}|\p{Cf}/u.test(sign)) {
      const base = sign.normalize('NFKD').replace(/./gsu, (part) => (has(part) ? part : ''))
      shown += base || '?'
    }
  }
  return shown
}
