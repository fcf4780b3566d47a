import type { HttpClient } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { redactText } from '../redact.ts'
import { SmsError, type SmsOutcome, type SmsSender } from './sms.ts'

/** A service of text messages with the HTTP interface of Twilio. */
export interface SmsServiceOptions {
  accountSid: string
  authToken: string
  /** The number that messages come from, in the form of E.164, or the name of a messaging service (`MG…`). */
  from: string
  /** Default `https://api.twilio.com`. */
  baseUrl?: string
}

const limits = { redirect: 'manual', timeoutMs: 30_000, maxBytes: 65_536 } as const

/** The service's code for a reader who has answered STOP. */
const optedOut = 21_610

/**
 * Sends by `POST /2010-04-01/Accounts/{sid}/Messages.json`. The service does not know a message again, so one whose answer is lost is
 * `unknown`.
 */
export function createSmsService({
  options,
  http,
}: {
  options: SmsServiceOptions
  http: HttpClient
}): SmsSender {
  const { accountSid, authToken, from } = options
  const base = (options.baseUrl ?? 'https://api.twilio.com').replace(/\/+$/, '')
  const account = `${base}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`
  const authorization = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
  const sender: Record<string, string> = from.startsWith('MG')
    ? { MessagingServiceSid: from }
    : { From: from }
  return {
    name: new URL(base).host,
    async send({ to, text }, signal) {
      const { status, said } = await ask(`${account}/Messages.json`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ To: to, ...sender, Body: text }).toString(),
        ...(signal && { signal }),
      })
      if (status >= 200 && status < 300) return
      throw new SmsError(outcomeOf(status, said), wordsOf(status, said))
    },
    async check() {
      const { status, said } = await ask(`${account}.json`, { method: 'GET', headers: { authorization } })
      if (status === 200) return `text messages go to ${new URL(base).host}`
      throw new SmsError('refused', wordsOf(status, said))
    },
  }

  async function ask(
    url: string,
    request: { method: string; headers: HeadersInit; body?: string; signal?: AbortSignal },
  ): Promise<{ status: number; said: string }> {
    try {
      const response = await http.request(url, { ...limits, ...request })
      return { status: response.status, said: await response.text() }
    } catch (error) {
      const maybeTaken = error instanceof OutboundError && error.maybeSent
      const message = `The service of text messages cannot be reached: ${(error as Error).message}`
      throw new SmsError(maybeTaken ? 'unknown' : 'transient', message, { cause: error })
    }
  }
}

const wordsOf = (status: number, said: string) =>
  `The service of text messages answers ${status}: ${redactText(said).slice(0, 300)}`

function outcomeOf(status: number, said: string): SmsOutcome {
  if (codeIn(said) === optedOut) return 'optedOut'
  // A server fault may have come after the message was taken.
  if (status >= 500 && status !== 503) return 'unknown'
  // What is wrong with the message itself; anything else may be put right, and then the message is wanted.
  return status === 400 || status === 422 ? 'refused' : 'transient'
}

function codeIn(said: string): number | undefined {
  try {
    const { code } = JSON.parse(said) as { code?: unknown }
    return typeof code === 'number' ? code : undefined
  } catch {
    return undefined
  }
}
