import { z } from 'zod'

/** Letters that are drawn as nothing, and may stand in honest names only between letters that they join. */
const invisible = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g

/** Control characters, line and paragraph separators, and what turns the direction of the text around it. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

/** What mail programs make a link of, by itself: an address with a scheme, a host with a domain, an e-mail address, an IPv4 address. */
const link =
  /[a-z][a-z\d+.-]{1,30}:\/\/|\b(?:mailto|tel|sms):\S|(?<![\p{L}\p{N}])www\.|[\p{L}\p{N}]\.(?:\p{L}{2}|xn--)|\S@\S|\b\d{1,3}(?:\.\d{1,3}){3}\b/iu

/** As a mail program sees it: compatible forms of letters and dots are the plain ones. */
const seen = (text: string) => text.normalize('NFKC').replace(invisible, '').replace(/[。｡]/g, '.')

/**
 * What is wrong with the name of a person or a company, in a sentence; undefined when nothing is. Names travel into mails to people who never asked
 * for them, so a name is nothing but a name.
 */
export function faultOfName(name: string): string | undefined {
  if (unprintable.test(name)) return 'A name is one line of text without control characters'
  if (link.test(seen(name)))
    return 'A name holds no web or e-mail address, nor what looks like one: write a blank after a full stop'
  return undefined
}

/** The name of a person or a company, of 1 to `max` characters, without blanks around it. */
export function plainName(max: number) {
  return z
    .string()
    .trim()
    .min(1, `A name has 1 to ${max} characters`)
    .max(max)
    .superRefine((name, context) => {
      const message = faultOfName(name)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
}

/** So much of a name is enough to know whom it means. */
const shownLength = 80

/**
 * A name as mails show it in quotation marks, whatever it was allowed to be when it was taken: one line that does not end the quotation, that
 * no mail program makes a link of, cut to 80 characters.
 */
export function shownName(name: string): string {
  const oneLine = name
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replace(/["“”„‟«»]/g, "'")
    .trim()
  const plain = seen(oneLine)
  const harmless = link.test(plain) ? plain.replace(/[.:/@\\\s]+/g, ' ').trim() : oneLine
  const letters = Array.from(harmless)
  return letters.length > shownLength ? `${letters.slice(0, shownLength).join('')}…` : harmless
}

/** What someone is called as long as no one has said it: the words before the `@` of an e-mail address. */
export function nameOfAddress(email: string): string {
  const [local = ''] = email.split('@')
  const words = local.replace(/[._+-]+/g, ' ').trim()
  return words === '' ? local : words
}
