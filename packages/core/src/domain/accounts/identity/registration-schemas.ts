import { z } from 'zod'
import { plainName } from '../../../kernel/names.ts'
import { ulid } from '../../../platform/wire.ts'
import { isCountry } from '../billing/plans/regions.ts'
import { businessTypes, companySizes } from '../tenants/entities.ts'
import { isTimeZone } from '../tenants/tenants.ts'
import { Email, Password } from './schemas.ts'

/** One line for people: no control characters, nothing but what someone typed. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'Must not be empty')
    .max(max)
    .regex(/^\P{Cc}*$/u, 'Must be one line of text')

const phone = z
  .string()
  .trim()
  .max(30)
  .regex(/^\+?(?:[ ()./-]*\d){5,15}[ ()./-]*$/, 'Must be a phone number of 5 to 15 digits')

const country = z
  .string()
  .trim()
  .toUpperCase()
  .refine(isCountry, 'Must be a country code of two letters (ISO 3166-1 alpha-2)')

export const RegisterStart = z.object({
  firstName: plainName(100),
  lastName: plainName(100),
  email: z.string().trim().pipe(Email),
  phone,
  password: Password.regex(/\p{Lu}/u, 'A password needs an upper-case letter').regex(
    /\d/,
    'A password needs a digit',
  ),
  country,
})
export type RegisterStart = z.output<typeof RegisterStart>

/** An `http` or `https` address of a host that has a domain; without a scheme `https` is meant. */
const website = z.string().trim().max(2_000).transform(toWebsite)

export const RegisterCompany = z.object({
  companyName: plainName(200),
  website,
  industry: line(100),
  companySize: z.enum(companySizes),
  businessType: z.enum(businessTypes),
})
export type RegisterCompany = z.output<typeof RegisterCompany>

export const RegisterPlace = z.object({
  /** Code of the state or province, with or without the country before it: `KA` or `IN-KA`. */
  state: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^(?:[A-Z]{2}-)?[A-Z0-9]{1,3}$/, 'Must be the code of a state or province, such as CA or IN-KA'),
  timezone: z.string().refine(isTimeZone, 'Must be an IANA time zone, such as Europe/Berlin'),
  /** For tax invoices; in India a GSTIN. */
  gstNumber: z.string().trim().toUpperCase().max(30).optional(),
})
export type RegisterPlace = z.output<typeof RegisterPlace>

/** `enterprise` is arranged with the operator. */
const openPlans = ['free', 'starter', 'pro', 'agency'] as const

export const RegisterComplete = z.object({
  plan: z.enum(openPlans),
  coupon: z.string().trim().min(1).max(100).optional(),
})
export type RegisterComplete = z.output<typeof RegisterComplete>

export const StartReply = z.object({ sessionToken: z.string(), step: z.literal(1) })
export const CompanyReply = z.object({ step: z.literal(2) })
export const PlaceReply = z.object({ step: z.literal(3) })

export const CompleteReply = z.object({
  tenantId: ulid,
  userId: ulid,
  plan: z.enum(openPlans),
  accessToken: z.string(),
  refreshToken: z.string(),
  paymentOrderId: z.string().optional(),
  paymentSubscriptionId: z.string().optional(),
  paymentKeyId: z.string().optional(),
})
export type CompleteReply = z.output<typeof CompleteReply>

export const RegisterProgress = z.object({
  currentStep: z.literal([1, 2, 3, 4]),
  completedSteps: z.array(z.int()),
  /** What has been said so far; never the password. */
  prefilled: z.object({
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    email: z.string().optional(),
    phone: z.string().optional(),
    country: z.string().optional(),
    companyName: z.string().optional(),
    website: z.string().optional(),
    industry: z.string().optional(),
    companySize: z.enum(companySizes).optional(),
    businessType: z.enum(businessTypes).optional(),
    state: z.string().optional(),
    timezone: z.string().optional(),
    gstNumber: z.string().optional(),
  }),
})
export type RegisterProgress = z.output<typeof RegisterProgress>

function toWebsite(text: string, context: z.RefinementCtx): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  const hasDomain = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/.test(url?.hostname ?? '')
  if (url && isWeb && hasDomain && !url.username && !url.password) return url.href
  context.addIssue({
    code: 'custom',
    message: 'Must be the address of a website, such as https://example.com',
  })
  return z.NEVER
}
