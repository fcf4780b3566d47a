import { z } from 'zod'
import { elsewhere } from '../../../../accounts/channels/clients.ts'
import type {
  PlatformAnswer,
  PlatformCall,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'
import { type FailureKind, PlatformError } from '../../../../accounts/channels/platform-error.ts'

const host = 'https://googleads.googleapis.com'
/** The newest version whose published schema this was written by. */
const usualVersion = 'v25'
/** A report is longer than other answers. */
const mostBytes = 32 * 1024 * 1024
const reportMs = 120_000

/** 64-bit numbers are texts in Google's JSON; what no number holds exactly is refused. */
export const int64 = z
  .union([z.string().regex(/^-?\d{1,19}$/), z.number()])
  .transform(Number)
  .refine(Number.isSafeInteger, 'is too large')

/** Ids stay texts. */
export const id64 = z.union([z.string().regex(/^\d{1,20}$/), z.int()]).transform(String)

/** What advertising policies have against a text. */
const PolicyTopic = z.object({ topic: z.string().default('UNKNOWN'), type: z.string().default('UNKNOWN') })

const Failure = z.object({
  errors: z
    .array(
      z.object({
        errorCode: z.record(z.string(), z.string()).default({}),
        message: z.string().default(''),
        location: z
          .object({
            fieldPathElements: z
              .array(z.object({ fieldName: z.string(), index: int64.optional() }))
              .default([]),
          })
          .optional(),
        details: z
          .object({
            quotaErrorDetails: z.object({ retryDelay: z.string().optional() }).optional(),
            policyFindingDetails: z
              .object({ policyTopicEntries: z.array(PolicyTopic).default([]) })
              .optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  requestId: z.string().optional(),
})

/** A `google.rpc.RpcStatus`, as a refusal holds it and a partial failure too. */
export const RpcStatus = z.object({
  code: z.int().optional(),
  status: z.string().optional(),
  message: z.string().default(''),
  details: z.array(z.unknown()).default([]),
})

/** What went wrong with which operation. */
export interface OperationError {
  /** Of the operation in the request; undefined where it is the request as a whole. */
  index: number | undefined
  /** Such as `campaignBudgetError.BUDGET_BELOW_PER_DAY_MINIMUM`. */
  code: string
  message: string
  retryMs: number | undefined
}

/** The errors that a status holds, in their order. */
export function errorsOf(status: z.output<typeof RpcStatus>): OperationError[] {
  return status.details.flatMap((detail) => {
    const failure = Failure.safeParse(detail)
    if (!failure.success) return []
    return failure.data.errors.map(({ errorCode, message, location, details }) => {
      const [family = 'unknown', name = ''] = Object.entries(errorCode)[0] ?? []
      const at = location?.fieldPathElements.find(({ fieldName }) => fieldName === 'mutate_operations')
      const delay = /^(\d+(?:\.\d+)?)s$/.exec(details?.quotaErrorDetails?.retryDelay ?? '')?.[1]
      const retryMs = delay === undefined ? undefined : Number(delay) * 1_000
      const topics = details?.policyFindingDetails?.policyTopicEntries ?? []
      const words = [message, placeOf(location?.fieldPathElements ?? []), topicsOf(topics)].join('')
      return { index: at?.index, code: `${family}.${name}`, message: words, retryMs }
    })
  })
}

/** Which of several texts of one operation is meant, such as ` (headlines 2)`. */
function placeOf(path: ReadonlyArray<{ fieldName: string; index?: number | undefined }>): string {
  const last = path.findLast(
    ({ fieldName, index }) => index !== undefined && fieldName !== 'mutate_operations',
  )
  return last?.index === undefined ? '' : ` (${last.fieldName} ${last.index + 1})`
}

/** More of them one text is not told. */
const mostTopics = 5

function topicsOf(topics: ReadonlyArray<z.output<typeof PolicyTopic>>): string {
  const words = topics.slice(0, mostTopics).map(({ topic, type }) => `${topic}, ${type}`)
  return words.length === 0 ? '' : `: ${words.join('; ')}`.toLowerCase().replaceAll('_', ' ')
}

const dead = new Set([
  'OAUTH_TOKEN_REVOKED',
  'OAUTH_TOKEN_DISABLED',
  'OAUTH_TOKEN_EXPIRED',
  'OAUTH_TOKEN_INVALID',
  'GOOGLE_ACCOUNT_DELETED',
  'NOT_ADS_USER',
])

/** What an error of Google's means for us. */
export function kindOfCode(code: string): FailureKind | undefined {
  const [family = '', name = ''] = code.split('.')
  if (family === 'quotaError') return 'quota'
  if (family === 'authenticationError') return dead.has(name) ? 'auth' : 'policy'
  if (family === 'authorizationError' || family.startsWith('policy')) return 'policy'
  if (family === 'internalError') return 'transient'
  if (name.startsWith('DUPLICATE_') || name === 'RESOURCE_ALREADY_EXISTS') return 'duplicate'
  // Two have changed one thing at once: read again, and make a new plan.
  if (family === 'databaseError') return 'validation'
  return undefined
}

export const googleAdsRules: PlatformRules = {
  refusalOf(answer) {
    const read = z.object({ error: RpcStatus }).safeParse(first(answer.body))
    if (!read.success) return undefined
    const { error } = read.data
    const [worst] = errorsOf(error)
    const kind = worst ? kindOfCode(worst.code) : error.status === 'RESOURCE_EXHAUSTED' ? 'quota' : undefined
    // What Google may have done before it failed is asked for, not guessed.
    const settled = kind === 'transient' ? undefined : kind
    return {
      ...(settled && { kind: settled }),
      words: worst ? `${worst.message} (${worst.code})` : error.message,
      requestId: requestIdOf(answer),
      waitMs: worst?.retryMs,
    }
  },
}

/** By which Google's support finds a request; what is longer or has other characters is none. */
export function requestIdOf({ headers }: Pick<PlatformAnswer, 'headers'>): string | undefined {
  const id = headers.get('request-id')
  return id !== null && /^[\w-]{1,64}$/.test(id) ? id : undefined
}

/** `searchStream` puts its refusal into an array. */
const first = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body)

export function googleAddress(call: PlatformCall, path: string): string {
  const { baseUrl, apiVersion = usualVersion } = call.urls
  const url = `${host}/${apiVersion}/${path}`
  return baseUrl === undefined ? url : elsewhere(url, baseUrl)
}

export function googleHeaders(call: PlatformCall, loginId: string | null): Record<string, string> {
  const { developerToken } = call.urls
  return {
    authorization: `Bearer ${call.secrets.accessToken ?? ''}`,
    ...(developerToken !== undefined && { 'developer-token': developerToken }),
    ...(loginId !== null && { 'login-customer-id': loginId }),
  }
}

/** Rows of a query in GAQL, read as they are needed. @throws PlatformError */
export async function search<S extends z.ZodType>(
  call: PlatformCall,
  account: { id: string; loginId: string | null },
  query: string,
  row: S,
): Promise<Array<z.output<S>>> {
  const answer = await call.request({
    method: 'POST',
    url: googleAddress(call, `customers/${account.id}/googleAds:searchStream`),
    headers: googleHeaders(call, account.loginId),
    json: { query },
    effect: 'read',
    maxBytes: mostBytes,
    timeoutMs: reportMs,
  })
  const batches = readGoogle(answer, z.array(z.object({ results: z.array(row).default([]) })))
  return batches.flatMap(({ results }) => results as Array<z.output<S>>)
}

/** @throws PlatformError `transient` for an answer in another form than Google's */
export function readGoogle<S extends z.ZodType>({ body, headers }: PlatformAnswer, schema: S): z.output<S> {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const { path = [], message = '' } = read.error.issues[0] ?? {}
  const requestId = requestIdOf({ headers })
  throw new PlatformError(
    'transient',
    `The answer has another form than expected: ${path.join('.')} ${message} (request ${requestId ?? 'none'})`,
    { requestId },
  )
}
