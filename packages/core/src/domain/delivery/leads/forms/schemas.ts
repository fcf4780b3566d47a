import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../../platform/wire.ts'
import { line } from '../fields.ts'
import { type FormField, formTargets } from './entities.ts'

const origin = z
  .string()
  .max(300)
  .refine(
    (text) => /^https?:/.test(text) && URL.parse(text)?.origin === text,
    'Must be an origin, such as https://www.example.com',
  )

const redirectUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && url.username === '' && url.password === ''
  }, 'Must not hold a user name or a password')

/** Names that begin with an underscore are those of Copydesk: see `hidden` in `submission.ts`. */
const inputName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.[\]-]{0,63}$/, 'Must be the name of an input: letters, digits, _ . - [ ]')

const FormField = z.object({
  input: inputName,
  fills: z.enum(formTargets),
  required: z.boolean().default(false),
})

const usualFields: FormField[] = formTargets
  .filter((target) => target !== 'other')
  .map((fills) => ({ input: fills, fills, required: false }))

const fields = {
  name: line(100).min(1),
  allowedOrigins: z.array(origin).min(1).max(20),
  redirectUrls: z.array(redirectUrl).max(10),
  thankYou: z.string().trim().max(500).nullable(),
  consentText: z.string().trim().max(1_000).nullable(),
  fields: z.array(FormField).min(1).max(30),
  honeypot: inputName,
  notify: z.boolean(),
  active: z.boolean(),
}

export const NewForm = z.object({
  ...fields,
  redirectUrls: fields.redirectUrls.default([]),
  thankYou: fields.thankYou.default(null),
  consentText: fields.consentText.default(null),
  fields: fields.fields.default(usualFields),
  honeypot: fields.honeypot.default('website'),
  notify: fields.notify.default(true),
  active: fields.active.default(true),
})
export type NewForm = z.output<typeof NewForm>

/** What is not named stays as it is. */
export const FormChange = z.object(fields).partial()
export type FormChange = z.output<typeof FormChange>

export const FormItem = z.object({
  id: ulid,
  /** Where the form is sent to: its `action`. */
  url: z.string(),
  name: z.string(),
  allowedOrigins: z.array(z.string()),
  redirectUrls: z.array(z.string()),
  thankYou: z.string().nullable(),
  consentText: z.string().nullable(),
  fields: z.array(
    z.object({
      input: z.string(),
      fills: z.enum(formTargets),
      required: z.boolean(),
    }),
  ),
  honeypot: z.string(),
  notify: z.boolean(),
  active: z.boolean(),
  /** Submissions that were kept, and those that were dropped as those of programs. */
  received: z.int(),
  dropped: z.int(),
  lastReceivedOn: isoDate.nullable(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type FormItem = z.output<typeof FormItem>
export const FormPage = page(FormItem)
export const FormQuery = pageQuery
export type FormQuery = z.output<typeof FormQuery>
