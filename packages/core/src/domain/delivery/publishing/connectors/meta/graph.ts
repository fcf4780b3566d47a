import { z } from 'zod'
import type { PlatformCall, PlatformRules } from '../../../../accounts/channels/platform-call.ts'
import type { FailureKind } from '../../../../accounts/channels/platform-error.ts'
import { addressOf, listTooLong, requestAs } from '../requests.ts'

/** A version of the Graph API lives for two years. */
const version = 'v25.0'

const Refused = z
  .object({
    error: z.object({
      message: z.string().optional(),
      code: z.int().catch(0),
      error_subcode: z.int().optional().catch(undefined),
      is_transient: z.boolean().optional(),
      /** Written for people. */
      error_user_msg: z.string().optional(),
      fbtrace_id: z.string().max(64).optional().catch(undefined),
    }),
  })
  .optional()
  .catch(undefined)
type Refused = NonNullable<z.output<typeof Refused>>['error']

/** A person has to see to it: a checkpoint, an identity to confirm, an account that is restricted, a text that is not wanted. */
const policySubcodes = new Set([459, 1404078, 4854002, 1404102, 1346003, 1404112, 2207050, 2207051])
const quotaSubcodes = new Set([1390008, 2207042])
const quotaCodes = new Set([4, 9, 17, 32, 341, 613])

/** Nearly every refusal comes with the status 400; its number says what it is. */
function kindOf({
  code,
  error_subcode: sub = 0,
  is_transient: isTransient,
}: Refused): FailureKind | undefined {
  if (policySubcodes.has(sub)) return 'policy'
  if (quotaSubcodes.has(sub) || quotaCodes.has(code) || (code >= 80_000 && code <= 80_014)) return 'quota'
  if (code === 506 || sub === 1366051) return 'duplicate'
  if (code === 190 || code === 102) return 'auth'
  if (code === 3 || code === 10 || code === 368 || (code >= 200 && code < 300)) return 'policy'
  // 2207027: the picture is not ready.
  if (code === 1 || code === 2 || sub === 2207027 || isTransient) return 'transient'
  return code === 100 ? 'validation' : undefined
}

/** In percent; the API refuses at a hundred. */
const usageHeaders = ['x-app-usage', 'x-page-usage', 'x-business-use-case-usage', 'x-ad-account-usage']
const mostUsage = 95

/** The highest number, and the minutes until access comes back, wherever they stand. */
function usageOf(value: unknown): { percent: number; minutes: number } {
  const all = { percent: 0, minutes: 0 }
  const look = (one: unknown, name = '') => {
    if (typeof one === 'number' && name === 'estimated_time_to_regain_access')
      all.minutes = Math.max(all.minutes, one)
    else if (typeof one === 'number' && name === 'reset_time_duration')
      all.minutes = Math.max(all.minutes, one / 60)
    else if (typeof one === 'number') all.percent = Math.max(all.percent, one)
    else if (typeof one === 'object' && one !== null)
      for (const [key, inner] of Object.entries(one)) look(inner, key)
  }
  look(value)
  return all
}

export const metaRules: PlatformRules = {
  refusalOf({ body, headers }) {
    const error = Refused.parse(body)?.error
    if (!error) return undefined
    const kind = kindOf(error)
    const waitMs = kind === 'quota' ? usedUp(headers) : undefined
    const words = error.error_user_msg ?? error.message
    return { ...(kind && { kind }), words, waitMs, requestId: error.fbtrace_id }
  },
  limitsOf({ headers }, now): Record<string, { left: number; until: Date }> {
    const waitMs = usedUp(headers)
    return waitMs === undefined ? {} : { usage: { left: 0, until: new Date(now.getTime() + waitMs) } }
  },
}

/** How long a limit stays used up, milliseconds; undefined where none is. */
function usedUp(headers: Headers): number | undefined {
  for (const name of usageHeaders) {
    const given = headers.get(name)
    if (given === null || given.length > 10_000) continue
    const { percent, minutes } = usageOf(readJson(given))
    if (percent >= mostUsage) return Math.min(minutes || 60, 1_440) * 60_000
  }
  return undefined
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const graphUrl = ({ urls }: PlatformCall, path: string, query: Record<string, string> = {}): URL =>
  addressOf(`https://graph.facebook.com/${urls.apiVersion ?? version}/${path}`, urls.baseUrl, query)

const mostPages = 10

/**
 * Everything in a list. Its addresses of further pages contain the token: they are made from the cursor.
 * @param how `whole`: a list that is longer than what is read is refused, where a part of it says the wrong thing
 */
export async function readAllPages<S extends z.ZodType>(
  call: PlatformCall,
  path: string,
  query: Record<string, string>,
  item: S,
  { whole = false } = {},
): Promise<z.output<S>[]> {
  const Page = z.object({
    data: z.array(item),
    paging: z
      .object({ cursors: z.object({ after: z.string().optional() }).optional(), next: z.string().optional() })
      .optional(),
  })
  const all: z.output<S>[] = []
  let after: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const url = graphUrl(call, path, { ...query, limit: '100', ...(after !== undefined && { after }) })
    const { data, paging } = await requestAs(call, { url, effect: 'read' }, Page)
    all.push(...data)
    after = paging?.cursors?.after
    if (paging?.next === undefined || after === undefined) return all
  }
  if (whole) throw listTooLong()
  return all
}
