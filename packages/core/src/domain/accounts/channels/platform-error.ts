/**
 * Why a platform did not do what it was asked for. `auth`: the grant is dead; `transient`: another try may do; `quota`: not before a
 * certain time; `policy`: a person has to do something at the platform; `validation`: it does not take this content; `duplicate`:
 * it says that it has it already; `unknown`: a request that must not be repeated was sent, and nothing usable came back.
 */
export const failureKinds = [
  'auth',
  'transient',
  'quota',
  'policy',
  'validation',
  'duplicate',
  'unknown',
] as const
export type FailureKind = (typeof failureKinds)[number]

interface PlatformErrorExtra {
  until?: Date | undefined
  requestId?: string | undefined
  cause?: unknown
}

/** A platform's refusal, or its silence. The message is fit for people: one line without any secret. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly kind: FailureKind
  /** Of `quota`: when the platform may be asked again, where it says so. */
  readonly until: Date | undefined
  /** The platform's name for the request, by which its support finds it. */
  readonly requestId: string | undefined

  constructor(kind: FailureKind, message: string, extra: PlatformErrorExtra = {}) {
    super(message, { cause: extra.cause })
    this.kind = kind
    this.until = extra.until
    this.requestId = extra.requestId
  }
}

const longest = 300

/**
 * Someone else's words as we show them: one line of bounded length, without marks of HTML and without any of these secrets.
 * @param secrets what must not be seen, in whatever form it was sent
 */
export function safeWords(words: string, secrets: readonly string[] = []): string {
  let line = words.slice(0, longest * 4)
  for (const secret of secrets) if (secret.length >= 4) line = line.replaceAll(secret, '…')
  return line
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed()
}
