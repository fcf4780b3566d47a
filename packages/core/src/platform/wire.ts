import { z } from 'zod'

/**
 * The days that may come from outside. Both databases, all zones and the arithmetic of calendars hold them exactly, and
 * their texts, which all have four digits for the year, sort as they follow each other.
 */
const firstDay = '1970-01-01'
const lastDay = '2999-12-31'

const notADay = `Must be a day from ${firstDay} to ${lastDay}, such as 2026-04-10`
/** What an instant must be, in words. */
export const instantRange = `Must be an instant with its zone from ${firstDay} to ${lastDay}, such as 2026-04-10T09:30:00Z`

/** Whether an instant, in milliseconds since the epoch, lies in the years that are taken from outside. */
export function isInstantInRange(ms: number): boolean {
  return ms >= 0 && ms < Date.UTC(3_000, 0, 1)
}

/** An instant as a text that stays one, bounded as `isoDate` is. */
export const isoInstant = z.iso
  .datetime({ offset: true, error: instantRange, abort: true })
  .refine((text) => isInstantInRange(Date.parse(text)), instantRange)

/** A `Date` inside, an ISO 8601 string with zone on the wire. What is sent in is bounded; what is stored is shown as it is. */
export const isoDate = z.codec(z.iso.datetime({ offset: true, error: instantRange }), z.date(), {
  decode: (text, payload) => {
    const date = new Date(text)
    if (!isInstantInRange(date.getTime()))
      payload.issues.push({ code: 'custom', message: instantRange, input: text, continue: false })
    return date
  },
  encode: (date) => date.toISOString(),
})

/** A calendar day that is sent in, `YYYY-MM-DD`, the same inside and on the wire. */
export const isoDay = z.iso
  .date({ error: notADay, abort: true })
  .refine((day) => day >= firstDay && day <= lastDay, notADay)

/** A calendar month that is sent in, `YYYY-MM`, the same inside and on the wire. */
export const isoMonth = z
  .string()
  .regex(
    /^(?:19[7-9]\d|2\d{3})-(?:0[1-9]|1[0-2])$/,
    'Must be a month from 1970-01 to 2999-12, such as 2026-04',
  )

/** A calendar day of an answer: the first one of a zone may lie before those that are taken. */
export const shownDay = z.iso.date()

/** The end of a span of time: a day, or an instant. */
export const spanEnd = z.union([isoDay, isoDate], {
  error: `Must be a day or an instant with its zone from ${firstDay} to ${lastDay}, such as 2026-04-10 or 2026-04-10T09:30:00Z`,
})
export type SpanEnd = z.output<typeof spanEnd>

/** The one form of every identifier: 26 characters, sortable by creation time. */
export const ulid = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'Must be a ULID')
  .meta({ examples: ['01JZ8K3V9Q4W5X6Y7Z8A9B0C1D'] })

/** The pagination envelope: one page of `item` and where the next one starts. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), pagination })
}

const pagination = z.object({
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
  total: z.int().min(0).optional(),
})

const wholeNumber = /^-?\d{1,15}$/

const numeric = (form: RegExp) => (value: unknown) =>
  typeof value === 'string' && form.test(value) ? Number(value) : value

/** A whole number in a query string; text that is no plain decimal number is refused. */
export function queryInt(min: number, max: number): z.ZodType<number, number | string> {
  const inner = z.int().min(min).max(max)
  return z.preprocess(numeric(wholeNumber), inner) as unknown as z.ZodType<number, number | string>
}

/** `true` or `false` in a query string or a form field. */
export const queryBool = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
) as unknown as z.ZodType<boolean, boolean | 'true' | 'false'>

/** A list in a query string or a form field: comma-separated, repeated, or both. */
export function queryList<Item extends z.ZodType>(
  item: Item,
  max = 100,
): z.ZodType<z.output<Item>[], string | readonly string[]> {
  return z.preprocess(parted, z.array(item).max(max)) as unknown as z.ZodType<
    z.output<Item>[],
    string | readonly string[]
  >
}

function parted(value: unknown): string[] | undefined {
  if (value === undefined) return undefined
  return (Array.isArray(value) ? value : [value])
    .flatMap((part) => String(part).split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Some of several words in a query string, as `queryList` reads them; what is none of them is told of the parameter as a whole. */
export function queryChoices<const Choice extends string>(
  choices: readonly Choice[],
): z.ZodType<Choice[], string | readonly string[]> {
  const isChoice = (word: string) => (choices as readonly string[]).includes(word)
  const words = z
    .array(z.string().meta({ enum: [...choices] }))
    .max(choices.length)
    .refine((all) => all.length > 0 && all.every(isChoice), `Must be some of ${choices.join(', ')}`)
  return z.preprocess(parted, words) as unknown as z.ZodType<Choice[], string | readonly string[]>
}

/** `limit`, `cursor` and `order` as every list takes them; add the filters with `.extend()`. */
export const pageQuery = z.object({
  limit: queryInt(1, 100).default(25),
  cursor: z.string().min(1).max(200).optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
})

/** The last page that a list by page number has. */
const lastPage = 10_000

/** `page` and `limit` as lists by page number take them; add the filters with `.extend()`. */
export const numberedQuery = z.object({
  page: queryInt(1, lastPage).default(1),
  limit: queryInt(1, 100).default(25),
})
export type NumberedQuery = z.output<typeof numberedQuery>

/** The pagination envelope of a list by page number, which has no cursor. */
export function numberedPage<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    pagination: z.object({
      hasMore: z.boolean(),
      nextCursor: z.null(),
      total: z.int().min(0),
      page: z.int(),
      limit: z.int(),
      pages: z.int(),
    }),
  })
}

/** The body of every refusal. */
export const apiError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    details: z.unknown().optional(),
  }),
})

/** The farthest place that a list by offset is read from. */
const farthest = 1_000_000

/** `limit` and `offset` as the lists of the mobile app take them; add the filters with `.extend()`. */
export function offsetQuery(usual: number) {
  return z.object({
    limit: queryInt(1, 100).default(usual),
    offset: queryInt(0, farthest).default(0),
  })
}
