import type { HttpClient } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { redactText } from '../redact.ts'
import { MailError } from './mail.ts'

const limits = { method: 'POST', redirect: 'manual', timeoutMs: 30_000, maxBytes: 65_536 } as const

/**
 * Hands a mail over by HTTP.
 * @param service how errors name it
 * @param isRepeatable whether the service takes the same request again for the same mail
 * @param isOurs whether an error of that code is about this installation, and not about the mail
 * @throws MailError
 */
export async function postMail(
  http: HttpClient,
  {
    service,
    isRepeatable,
    isOurs = () => false,
    url,
    ...request
  }: {
    service: string
    isRepeatable: boolean
    isOurs?: (code: string) => boolean
    url: string | URL
    headers: HeadersInit
    body: string
    signal?: AbortSignal | undefined
  },
): Promise<void> {
  const { signal, ...rest } = request
  const doubt = (maybeTaken: boolean) => ({
    unknown: maybeTaken && !isRepeatable,
    inDoubt: maybeTaken && isRepeatable,
  })
  let status: number
  let code: string
  let answer: string
  try {
    const response = await http.request(url, { ...limits, ...rest, ...(signal && { signal }) })
    status = response.status
    code = response.headers.get('x-amzn-errortype') ?? ''
    answer = await response.text()
  } catch (error) {
    throw new MailError(`${service} cannot be reached: ${(error as Error).message}`, {
      ...doubt(error instanceof OutboundError && error.maybeSent),
      cause: error,
    })
  }
  if (status >= 200 && status < 300) return
  const said = redactText(answer).slice(0, 300)
  throw new MailError(`${service} answers ${status}: ${said}`, {
    final: aboutTheMail.has(status) && !isOurs(code),
    // A server fault may have come after the mail was taken.
    ...doubt(status >= 500 && status !== 503),
  })
}

/** What is wrong with the mail itself; anything else may be put right, and then the mail is wanted. */
const aboutTheMail = new Set([400, 413, 422])
