import { normalize, preview } from '../../../kernel/text.ts'

/** What leads are told apart by. */
interface Contact {
  email: string | null
  phone: string | null
}

/** An e-mail address as addresses are compared. Dots and what follows a plus sign make another address. */
export const emailKeyOf = (email: string): string => email.toLowerCase()

/** Below this many digits a number is no one's own. */
const leastDigits = 6

/**
 * A phone number as numbers are compared: its digits, behind a plus sign when it has its country's code. Null for a number that is
 * too short to tell people apart.
 */
export function phoneKeyOf(phone: string): string | null {
  const [, number = '', extension = ''] = /^([^a-z]*)(?:[a-z.]+\s*(\d+))?/i.exec(phone.trim()) ?? []
  const isInternational = /^\(?(?:\+|00)/.test(number)
  // The zero in brackets is left out when one dials the country's code.
  const digits = (isInternational ? number.replace('(0)', '') : number).replace(/\D/g, '')
  if (digits.length < leastDigits) return null
  const whole = isInternational ? `+${digits.replace(/^00/, '')}` : digits
  return extension === '' ? whole : `${whole}x${extension}`
}

/**
 * What no two leads of a tenant share: the e-mail address, without one the phone number, without both nothing.
 */
export function identityOf({ email, phone }: Contact): string | null {
  if (email !== null) return `e:${emailKeyOf(email)}`
  const key = phone === null ? null : phoneKeyOf(phone)
  return key === null ? null : phoneIdentity(key)
}

/** The identity of a lead that has a phone number and no e-mail address. */
export const phoneIdentity = (key: string): string => `p:${key}`

const mostWords = 24
const longestWord = 40

/** The words of a text as the search compares them: without case and accents. */
export function wordsOf(text: string): string[] {
  const words = normalize(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.map((word) => preview(word, longestWord)))].slice(0, mostWords)
}

/** The words that a lead is found by, each after a space. */
export function searchText(lead: { firstName: string; lastName: string; email: string | null }): string {
  return wordsOf(`${lead.firstName} ${lead.lastName} ${lead.email ?? ''}`)
    .map((word) => ` ${word}`)
    .join('')
}

/** The columns of a lead that follow from its others. */
export function derived(lead: Contact & { firstName: string; lastName: string }) {
  return {
    identity: identityOf(lead),
    phoneKey: lead.phone === null ? null : phoneKeyOf(lead.phone),
    words: searchText(lead),
  }
}

/** `Ann de la Cruz` and `de la Cruz, Ann`: the first word is the first name. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const [last = '', first] = name.split(/,(.*)/s).map((part) => part.trim())
  if (first) return { firstName: first, lastName: last }
  const [firstName = '', ...others] = name.split(/\s+/)
  return { firstName, lastName: others.join(' ') }
}
