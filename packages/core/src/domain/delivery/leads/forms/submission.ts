import { DomainError, invalid } from '../../../../kernel/errors.ts'
import { isSomeone, leadFields, nobody } from '../fields.ts'
import { splitName } from '../policy.ts'
import type { FormTarget } from './entities.ts'
import type { OpenForm } from './queries.ts'

/** What a page has sent, as it came. */
export interface SentForm {
  /** The header `Content-Type`. */
  type: string | undefined
  bytes: Uint8Array
}

/** What pages may send beside their inputs. */
export const hidden = {
  /** Which of the form's redirect URLs is wanted. */
  redirect: '_redirect',
  /** The address of the page. */
  page: '_page',
  /** When the page was opened, milliseconds since the epoch: programs send at once. */
  opened: '_opened',
} as const

const mostInputs = 60
const longestOther = 1_000

type Inputs = ReadonlyMap<string, string>

/**
 * The inputs of a form by name; several of one name are joined.
 * @throws DomainError `UNSUPPORTED_MEDIA_TYPE`; `VALIDATION_ERROR` for what cannot be read, files, and too many inputs
 */
export async function readInputs({ type = '', bytes }: SentForm): Promise<Inputs> {
  const media = (type.split(';', 1)[0] as string).trim().toLowerCase()
  const inputs = new Map<string, string>()
  for (const [name, value] of await pairsOf(media, type, bytes)) {
    const earlier = inputs.get(name)
    const text = value.replaceAll('\0', '').toWellFormed()
    inputs.set(name, earlier === undefined ? text : `${earlier}, ${text}`)
    if (inputs.size > mostInputs)
      throw new DomainError('VALIDATION_ERROR', `A form has at most ${mostInputs} inputs`)
  }
  return inputs
}

type Pairs = Iterable<readonly [string, string]>

function pairsOf(media: string, type: string, bytes: Uint8Array): Pairs | Promise<Pairs> {
  if (media === 'application/x-www-form-urlencoded')
    return new URLSearchParams(new TextDecoder().decode(bytes))
  if (media === 'application/json') return jsonPairs(bytes)
  if (media === 'multipart/form-data') return multipartPairs(type, bytes)
  throw new DomainError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the form as application/x-www-form-urlencoded, multipart/form-data or application/json',
  )
}

function jsonPairs(bytes: Uint8Array): Pairs {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new DomainError('VALIDATION_ERROR', 'The body is not valid JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DomainError('VALIDATION_ERROR', 'The body must be an object of inputs and their values')
  return Object.entries(value).flatMap(([name, given]): Array<[string, string]> => {
    if (given === null) return []
    if (typeof given === 'object') throw invalid(name, 'Must be a text, a number or a boolean')
    return [[name, String(given)]]
  })
}

async function multipartPairs(type: string, bytes: Uint8Array): Promise<Pairs> {
  let form: FormData
  try {
    form = await new Response(Buffer.from(bytes), {
      headers: { 'content-type': type },
    }).formData()
  } catch {
    throw new DomainError('VALIDATION_ERROR', 'The form is not valid multipart/form-data')
  }
  return [...form].flatMap(([name, value]): Array<[string, string]> => {
    if (typeof value === 'string') return [[name, value]]
    // An input for files that was left alone.
    if (value.size === 0 && value.name === '') return []
    throw invalid(name, 'Forms take no files')
  })
}

const link = /https?:\/\/|www\.|\[url/gi
const mostLinks = 5
const quickestMs = 2_000

/** Whether no person has filled it in, as far as that can be told. */
export function isByProgram(form: OpenForm, inputs: Inputs, now: number): boolean {
  if (inputs.get(form.honeypot)) return true
  const opened = inputs.get(hidden.opened)
  if (opened !== undefined && opened !== '') {
    const open = now - Number(opened)
    // A clock that is a little fast is no sign of a program.
    if (Number.isFinite(open) && Math.abs(open) < quickestMs) return true
  }
  return form.fields.some(({ input, fills }) => {
    const links = inputs.get(input)?.match(link)?.length ?? 0
    return fills === 'message' ? links > mostLinks : links > 0 && noLinks.has(fills)
  })
}
const noLinks: ReadonlySet<FormTarget> = new Set(['firstName', 'lastName', 'name', 'phone'])

/** What is made of a submission: a lead, and what its timeline says. */
export interface Submission {
  lead: {
    firstName: string
    lastName: string
    email?: string
    phone?: string
    company?: string
  }
  /** In words, by lines. */
  text: string
  /** What was said where the form asks for consent; undefined where it does not. */
  consent: { kind: 'agreed' | 'declined'; text: string } | undefined
  redirectUrl: string | undefined
}

/**
 * Checks the inputs of a form and gives them to the fields of a lead.
 * @param from.page where it was sent from, unless the page says so itself
 * @throws DomainError `VALIDATION_ERROR` on the input
 */
export function toSubmission(
  form: OpenForm,
  inputs: Inputs,
  from: { page: string | undefined; now: Date },
): Submission {
  const values: Partial<Record<FormTarget, string>> = {}
  const lines: string[] = []
  let agreed = false
  const asks = form.consentText !== null && form.fields.some(({ fills }) => fills === 'consent')
  for (const { input, fills, required } of form.fields) {
    const value = fills === 'message' ? block(inputs.get(input)) : oneLine(inputs.get(input))
    if (required && (value === '' || (fills === 'consent' && isNo(value))))
      throw invalid(input, 'Is required')
    if (value === '') continue
    if (fills === 'consent') agreed = !isNo(value)
    else if (fills === 'other') lines.push(`${input}: ${other(input, value)}`)
    else values[fills] = checked(input, fills, value)
  }
  const { message, name, firstName, lastName, ...contact } = values
  const lead = { ...namesOf({ name, firstName, lastName }), ...contact }
  if (!isSomeone(lead)) throw invalid(whoInput(form), nobody)
  const page = pageOf(form, inputs.get(hidden.page) ?? from.page)
  if (agreed)
    lines.push(`Agreed on ${from.now.toISOString()}${form.consentText ? ` to: ${form.consentText}` : ''}`)
  if (page !== undefined) lines.push(`Page: ${page}`)
  const text = [message, lines.join('\n')].filter((part) => part).join('\n\n')
  return {
    lead,
    text,
    consent: agreed || asks ? consentOf(agreed, form.consentText) : undefined,
    redirectUrl: redirectOf(form, inputs.get(hidden.redirect)),
  }
}

const consentOf = (agreed: boolean, text: string | null): NonNullable<Submission['consent']> =>
  agreed
    ? { kind: 'agreed', text: text === null ? 'Agreed' : `Agreed to: ${text}` }
    : { kind: 'declined', text: `Was asked, and did not agree to: ${text ?? ''}` }

const schemas = {
  ...leadFields,
  name: leadFields.lastName,
  message: leadFields.notes,
}

function checked(input: string, fills: Exclude<FormTarget, 'consent' | 'other'>, value: string): string {
  const result = schemas[fills].safeParse(value)
  if (result.success) return result.data
  throw invalid(input, result.error.issues[0]?.message ?? 'Cannot be read')
}

function other(input: string, value: string): string {
  if (value.length > longestOther) throw invalid(input, `Has more than ${longestOther} characters`)
  return value
}

function namesOf(given: {
  name: string | undefined
  firstName: string | undefined
  lastName: string | undefined
}): { firstName: string; lastName: string } {
  const { name, firstName = '', lastName = '' } = given
  return name !== undefined && firstName === '' && lastName === '' ? splitName(name) : { firstName, lastName }
}

const whoInput = ({ fields }: OpenForm) =>
  (fields.find(({ fills }) => fills === 'email') ?? fields.find(({ fills }) => fills !== 'other'))?.input ??
  'email'

/** @throws DomainError `VALIDATION_ERROR` for one that is not on the form's list */
function redirectOf({ redirectUrls }: OpenForm, wanted = ''): string | undefined {
  if (wanted === '') return redirectUrls[0]
  if (!redirectUrls.includes(wanted))
    throw invalid(hidden.redirect, 'Is none of the redirect URLs of this form')
  return wanted
}

/** The address of a page of the form's web sites; others are no one's word. */
function pageOf({ allowedOrigins }: OpenForm, text = ''): string | undefined {
  const url = URL.parse(text)
  return url && allowedOrigins.includes(url.origin)
    ? `${url.origin}${url.pathname}${url.search}`.slice(0, 2_000)
    : undefined
}

const no = new Set(['', 'false', '0', 'no', 'off'])
const isNo = (value: string) => no.has(value.toLowerCase())

const oneLine = (text = '') => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
const block = (text = '') =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .trim()
