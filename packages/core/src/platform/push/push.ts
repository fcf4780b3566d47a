import { createPrivateKey, type KeyObject } from 'node:crypto'

export const pushPlatforms = ['ios', 'android'] as const
export type PushPlatform = (typeof pushPlatforms)[number]

/** What one device is to show. */
export interface PushMessage {
  platform: PushPlatform
  /** Where the device is reached, as its system has said. */
  token: string
  /** A second message with the same id takes the place of the first. */
  id: string
  title: string
  body: string
  /** For the app. */
  data: Readonly<Record<string, string>>
}

/** The way to the devices of one platform. */
export interface PushSender {
  /**
   * Hands a message over; it is with the platform once this returns.
   * @throws PushError
   */
  send(message: PushMessage, signal: AbortSignal): Promise<void>
  /** Tries the way without sending. @returns what it found, in words @throws PushError */
  check(): Promise<string>
  close(): Promise<void>
}

/** The senders of an installation. */
export interface Push {
  /** Those that have one. */
  platforms: readonly PushPlatform[]
  /** @throws PushError */
  send(message: PushMessage, signal: AbortSignal): Promise<void>
  /** @throws PushError */
  check(platform: PushPlatform): Promise<string>
  close(): Promise<void>
}

/**
 * What came of a message that was not handed over: `unregistered`, the token leads nowhere any more; `refused`, and would be
 * again; `transient`, no one has it and another try may do; `unknown`, it may or may not have arrived.
 */
export type PushOutcome = 'unregistered' | 'refused' | 'transient' | 'unknown'

export class PushError extends Error {
  override readonly name = 'PushError'
  readonly outcome: PushOutcome
  /** Of `unregistered`: since when; a token that was registered later is a good one. */
  readonly since: Date | undefined

  constructor(outcome: PushOutcome, message: string, options: { since?: Date; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.outcome = outcome
    this.since = options.since
  }
}

/** The algorithms that push services ask for, and the keys that these take. */
const kinds = {
  ES256: { type: 'ec', curve: 'prime256v1', words: 'an EC private key on P-256' },
  RS256: { type: 'rsa', curve: undefined, words: 'an RSA private key' },
} as const
type JwtAlgorithm = keyof typeof kinds

/**
 * Reads a key in PEM; `\n` may stand for line breaks, as they do in environment variables.
 * @param where named in the error, which holds nothing of the key
 * @throws TypeError when it is none, or not one for the algorithm
 */
export function readKey(pem: string, alg: JwtAlgorithm, where: string): KeyObject {
  const { type, curve, words } = kinds[alg]
  let key: KeyObject | undefined
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    // OpenSSL's reasons quote what it has read.
  }
  const fits = key?.asymmetricKeyType === type && key.asymmetricKeyDetails?.namedCurve === curve
  if (!key || !fits) throw new TypeError(`${where}: must be ${words} in PEM`)
  return key
}
