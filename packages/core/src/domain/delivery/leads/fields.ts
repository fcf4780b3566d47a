import { z } from 'zod'

export const leadStatuses = ['new', 'contacted', 'qualified', 'unqualified', 'converted'] as const
export type LeadStatus = (typeof leadStatuses)[number]

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** One line of text of at most `max` characters, without blanks around it. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !unprintable.test(text), 'Must be one line of text without control characters')

const phoneForm = /^[+(\d][\d\s()./-]*(?:(?:x|ext\.?)\s*\d{1,6})?$/i
const phone = z.string().trim().max(50).regex(phoneForm, 'Must be a phone number, such as +49 30 1234567')

const tag = line(50).refine(
  (text) => text !== '' && !/[,;|]/.test(text),
  'A tag has no comma, semicolon or bar',
)

/** What a lead consists of, as people and files give it. */
export const leadFields = {
  firstName: line(100),
  lastName: line(100),
  email: z.email().max(254),
  phone,
  company: line(200),
  status: z.enum(leadStatuses),
  score: z.int().min(0).max(100),
  tags: z.array(tag).max(20),
  notes: z.string().trim().max(5_000),
}

/** What a lead needs to be one. */
export const nobody = 'A lead has a name, an e-mail address or a phone number'
export const isSomeone = (lead: {
  firstName: string
  lastName: string
  email?: string | null | undefined
  phone?: string | null | undefined
}): boolean => Boolean(lead.firstName || lead.lastName || lead.email || lead.phone)
