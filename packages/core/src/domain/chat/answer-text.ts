import { maxAnswerChars } from './schemas.ts'

/** What may be linked to: items of the tenant, by their path below the prefix of the surface. */
const link = String.raw`\(\/(?:approvals|activities|campaigns)\/[0-7][0-9A-HJKMNP-TV-Z]{25}\)`

/** Numbers in brackets; how long they may be is known, so that nothing waits for ever. */
const numbers = String.raw`\d{1,4}(?: ?[,;] ?\d{1,4}){0,7}`

/** Blanks from their first on: looking again from each of them would take the square of their number. */
const blanks = String.raw`(?<![ \t])[ \t]+`

/** What is looked at in a text: citations, pictures, links, the targets of links that stand elsewhere, and tags. */
const special = new RegExp(
  [
    String.raw`(?<space>(?:${blanks})?)\[\^?(?<numbers>${numbers})\]`,
    String.raw`(?<image>!)(?=\[(?!\^?\d))`,
    String.raw`(?<link>\]${link})`,
    String.raw`(?<open>\])(?=[(:])`,
    String.raw`(?<tag><)(?=[a-zA-Z/?]|!-)`,
  ].join('|'),
  'g',
)

/** The beginning of what may follow a bracket. */
const target = String.raw`(?:\((?:\/[a-z]{0,12}(?:\/[0-9A-Z]{0,26})?)?)?`

/** The end of a text that may be the beginning of something special: it waits for more. */
const unsure = new RegExp(
  String.raw`(?:${blanks}!?|(?:${blanks})?!?\[[\^\d,; ]{0,60}(?:\]${target})?|<?!|\]${target}|<)$`,
)

/** Control characters that are no line ends or tabs; databases do not take all of them. */
const unprintable = /[^\P{Cc}\n\t]/gu

/** The text of an answer on its way to its reader. */
export interface AnswerText {
  /** All that was let through. */
  readonly text: string
  /** The numbers that it cites. */
  readonly cited: ReadonlySet<number>
  /** True when it is as long as an answer may be: nothing more is let through. */
  readonly full: boolean
  write(delta: string): void
  /** Lets through what still waits. */
  flush(): void
}

/**
 * Lets text through as it comes, with citations of what there is only. A text by a model, or one that quotes others, leads nowhere
 * else and loads nothing: links go to items of the tenant, other targets are shown as text, there are no pictures and no HTML.
 * @param isSource whether a number stands for a source
 * @param send is given each piece, in order
 */
export function createAnswerText(
  isSource: (n: number) => boolean,
  send: (delta: string) => void,
): AnswerText {
  const cited = new Set<number>()
  let text = ''
  let waiting = ''
  const cleaned = (raw: string) =>
    raw.replace(special, (whole, ...rest) => {
      const [at, , found] = rest.slice(-3) as [number, string, Record<string, string | undefined>]
      if (found['link'] !== undefined) return whole
      if (found['image'] !== undefined) return ''
      if (found['open'] !== undefined) return '] '
      if (found['tag'] !== undefined) return '‹'
      const known = [...new Set((found['numbers'] ?? '').split(/[,;]/).map(Number))].filter(isSource)
      for (const n of known) cited.add(n)
      const marks = known.map((n) => `[${n}]`).join('')
      // What follows must not make a link of the number.
      const apart = /[(:]/.test(raw.charAt(at + whole.length)) ? ' ' : ''
      return marks === '' ? '' : `${found['space']}${marks}${apart}`
    })
  const pass = (raw: string) => {
    const delta = cleaned(raw.replace(unprintable, '')).slice(0, maxAnswerChars - text.length)
    if (delta === '') return
    text += delta
    send(delta)
  }
  return {
    get text() {
      return text
    },
    cited,
    get full() {
      return text.length >= maxAnswerChars
    },
    write(delta) {
      waiting += delta
      const end = unsure.exec(waiting)?.index ?? waiting.length
      const ready = waiting.slice(0, end)
      waiting = waiting.slice(end)
      pass(ready)
    },
    flush() {
      const rest = waiting
      waiting = ''
      pass(rest)
    },
  }
}
