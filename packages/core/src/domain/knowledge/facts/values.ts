import { isUntelling } from './words.ts'

/** What a value is; only values of the same kind and unit can be compared. */
export type ValueKind =
  | 'email'
  | 'date'
  | 'phone'
  | 'money'
  | 'percent'
  | 'time'
  | 'quantity'
  | 'year'
  | 'name'

/** Something in a sentence that is right or wrong: a number with what it counts, a price, a date, a name. */
export interface FactValue {
  kind: ValueKind
  /** Of money its currency, empty where none is named; of a quantity what is counted; of a date which parts it has. */
  unit: string
  /** In a form in which equal values are equal texts. */
  value: string
}

/** A sentence without its values, and the values in their order. */
export interface ReadValues {
  values: FactValue[]
  rest: string
}

const month = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const monthName =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)'
const amount = String.raw`\d{1,15}(?:[.,'’\u00a0 ]\d{3}){0,5}(?:[.,]\d{1,6})?`
const scale = '(?:\\s?(?:k|m|bn|thousand|million|billion)\\b)?'
const currency = 'usd|eur|gbp|inr|chf|dollars?|euros?|pounds?|rupees?|francs?'
const counted = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
const person = String.raw`\p{Lu}[\p{L}'’-]{1,40}`

/** In this order: what one of them has taken is no part of a later one. */
const patterns: ReadonlyArray<[RegExp, (found: string) => FactValue | undefined]> = [
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/giu, (found) => plain('email', '', found.toLowerCase())],
  [/\b\d{4}-\d{2}-\d{2}\b/gu, (found) => dateOf(found)],
  [/\b\d{1,2}\.\d{1,2}\.\d{4}\b/gu, (found) => dateOf(found.split('.').toReversed().join('-'))],
  [
    new RegExp(String.raw`\b(?:\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?)?${monthName}\.?\s\d{4}\b`, 'giu'),
    (found) => namedDate(found),
  ],
  [
    new RegExp(String.raw`\b${monthName}\.?\s\d{1,2}(?:st|nd|rd|th)?(?:,?\s\d{4})?\b`, 'giu'),
    (found) => namedDate(found),
  ],
  [
    new RegExp(String.raw`\b\d{1,2}(?:st|nd|rd|th|\.)?\s(?:of\s)?${monthName}\b`, 'giu'),
    (found) => namedDate(found),
  ],
  [
    new RegExp(String.raw`(?:[$€£₹]|\b(?:usd|eur|gbp|inr|chf)\b)\s?${amount}${scale}`, 'giu'),
    (found) => money(found),
  ],
  [
    new RegExp(String.raw`(?<![\w.,])${amount}${scale}\s?(?:[$€£₹]|(?:${currency})\b)`, 'giu'),
    (found) => money(found),
  ],
  [
    new RegExp(String.raw`(?<![\w.,])${amount}\s?(?:%|percent\b|per cent\b)`, 'giu'),
    (found) => number('percent', '', found),
  ],
  [/(?<![\w.,])(?:\+\d|0|\(0)[\d ()/-]{6,20}\d/gu, (found) => phone(found)],
  [/\b\d{1,2}(?::\d{2}(?:\s?[ap]\.?m\b\.?)?|\s?[ap]\.?m\b\.?)/giu, (found) => timeOf(found)],
  [
    new RegExp(
      String.raw`(?<![\w.,])(?:${amount}(?:\s(?:thousand|million|billion))?|\b${counted})[\s-]?\p{L}{1,30}`,
      'giu',
    ),
    (found) => quantity(found),
  ],
  [/(?<![\w.,-])(?:1[5-9]|20)\d{2}(?![\w-])/gu, (found) => plain('year', '', found)],
  [
    new RegExp(
      String.raw`${person}(?:\s(?:de|da|von|van|der|la|le|al|bin)\s${person}|\s${person}){1,3}`,
      'gu',
    ),
    (found) => nameOf(found),
  ],
]

/** Finds the values of a sentence. */
export function readValues(sentence: string): ReadValues {
  const values: FactValue[] = []
  let rest = sentence
  for (const [pattern, read] of patterns) {
    rest = rest.replace(pattern, (found) => {
      const value = read(found)
      if (!value) return found
      values.push(value)
      return value.kind === 'name' ? found : ' '
    })
  }
  return { values, rest }
}

const plain = (kind: ValueKind, unit: string, value: string): FactValue => ({ kind, unit, value })

function number(kind: ValueKind, unit: string, found: string): FactValue | undefined {
  const value = numberIn(found)
  return value === undefined ? undefined : plain(kind, unit, String(value))
}

const scales: ReadonlyArray<[RegExp, number]> = [
  [/\d\s?(?:k|thousand)\b/i, 1e3],
  [/\d\s?(?:m|million)\b/i, 1e6],
  [/\d\s?(?:bn|billion)\b/i, 1e9],
]

/** The number in a text, however its thousands and decimals are written; `1.500` and `1,500` are 1500. */
function numberIn(found: string): number | undefined {
  const digits = new RegExp(amount).exec(found)?.[0].replace(/['’\u00a0 ]/g, '')
  if (digits === undefined) return undefined
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
  const decimals = last < 0 ? 0 : digits.length - last - 1
  const isDecimal = last >= 0 && decimals !== 3
  const whole = (isDecimal ? digits.slice(0, last) : digits).replace(/[.,]/g, '')
  const value = Number(isDecimal ? `${whole}.${digits.slice(last + 1)}` : whole)
  return value * (scales.find(([pattern]) => pattern.test(found))?.[1] ?? 1)
}

const currencies: ReadonlyArray<[RegExp, string]> = [
  [/[$]|usd|dollar/i, 'usd'],
  [/€|eur/i, 'eur'],
  [/£|gbp|pound/i, 'gbp'],
  [/₹|inr|rupee/i, 'inr'],
  [/chf|franc/i, 'chf'],
]

function money(found: string): FactValue | undefined {
  return number('money', currencyIn(found) ?? '', found)
}

/** The currency that a text names, such as `eur`. */
export function currencyIn(text: string): string | undefined {
  return currencies.find(([pattern]) => pattern.test(text))?.[1]
}

function phone(found: string): FactValue | undefined {
  const digits = found.replace(/\D/g, '')
  return digits.length < 7 ? undefined : plain('phone', '', digits.replace(/^0+/, '').slice(-9))
}

function timeOf(found: string): FactValue | undefined {
  const [, hours = '', minutes = '00', half] = /(\d{1,2})(?::(\d{2}))?\s?([ap])?/i.exec(found) ?? []
  const hour = (Number(hours) % (half ? 12 : 24)) + (half?.toLowerCase() === 'p' ? 12 : 0)
  return plain('time', '', `${hour}:${minutes}`)
}

function dateOf(iso: string): FactValue | undefined {
  const [year = '', month = '', day = ''] = iso.split('-')
  return plain('date', 'ymd', `${year}-${Number(month)}-${Number(day)}`)
}

function namedDate(found: string): FactValue | undefined {
  const name = new RegExp(month, 'i').exec(found)?.[0].toLowerCase() ?? ''
  const at = month.split('|').indexOf(name) + 1
  const year = /\d{4}/.exec(found)?.[0]
  const day = /(?<!\d)\d{1,2}(?!\d)/.exec(found)?.[0]
  const parts = [year, String(at), day && String(Number(day))]
  return plain('date', `${year ? 'y' : ''}m${day ? 'd' : ''}`, parts.filter(Boolean).join('-'))
}

const small = counted.slice(3, -1).split('|')

/** Not what is counted: `3 of`, `5 and`. */
const noUnits = new Set(
  'a all and are as at but by each for from in is it more of on or other per than the then times to was were with'.split(
    ' ',
  ),
)

function quantity(found: string): FactValue | undefined {
  const unit = /\p{L}+$/u.exec(found)?.[0].toLowerCase() ?? ''
  const word = small.findIndex((each) => found.toLowerCase().startsWith(each))
  if (noUnits.has(unit) || small.includes(unit)) return undefined
  const counts = unit.length > 3 ? unit.replace(/s$/, '') : unit
  return /\d/.test(found) ? number('quantity', counts, found) : plain('quantity', counts, String(word + 1))
}

/** At the beginning of a sentence any word has a capital letter. */
function nameOf(found: string): FactValue | undefined {
  const parts = found.split(/\s+/)
  const from = isUntelling((parts[0] ?? '').toLowerCase()) ? 1 : 0
  return parts.length - from < 2 ? undefined : plain('name', '', parts.slice(from).join(' '))
}
