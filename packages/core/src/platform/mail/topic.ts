import { createVerify, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { HttpClient } from '../http/client.ts'

/** A topic of Amazon SNS, or of a service with its interface, through which a cloud tells of mails. */
export interface TopicOptions {
  /** Its ARN: messages of others are refused. */
  arn: string
  /** Where a service with the same interface has its certificates and its answers, if not at `sns.<region>.amazonaws.com`. */
  baseUrl?: string
}

const line = z.string().max(2_048)
const Message = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: line,
  TopicArn: line,
  Message: z.string().max(262_144),
  Subject: line.optional(),
  Timestamp: line,
  Token: line.optional(),
  SubscribeURL: line.optional(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: line,
  SigningCertURL: line,
})
type Message = z.output<typeof Message>

/** Fields that are signed, in their order, where they are there. */
const signed = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  confirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const

/** A message that is repeated later than that is none of a delivery that is tried again. */
const longestAgeMs = 24 * 3_600_000
const requestMs = 5_000
const mostCertificateBytes = 16_384

/** What a message of the topic is: text for us, a question whether we want such, or a farewell. */
export type TopicMessage =
  | { kind: 'notification'; text: string }
  | { kind: 'subscription'; url: URL }
  | { kind: 'unsubscribed' }

export interface Topic {
  /** Reads a message. @returns undefined unless it is of the topic, signed by it, and of the last day */
  read(body: Uint8Array): Promise<TopicMessage | undefined>
  /** Answers that messages are wanted. @returns whether the topic has taken it */
  confirm(url: URL): Promise<boolean>
}

/**
 * Messages of one topic. The certificate that they are signed with is fetched from the cloud's own host in the topic's region and from no other,
 * and so is the address by which a subscription is confirmed.
 */
export function createTopic(
  { arn, baseUrl }: TopicOptions,
  { http, clock }: { http: HttpClient; clock: Clock },
): Topic {
  const certificates = new LRUCache<string, Promise<X509Certificate | undefined>>({ max: 8, ttl: 3_600_000 })
  const isCloud = hostTest(arn, baseUrl)

  const fetchCertificate = async (url: URL) => {
    const request = { timeoutMs: requestMs, maxBytes: mostCertificateBytes, redirect: 'manual' as const }
    const answer = await http.request(url, request)
    return answer.status === 200 ? new X509Certificate(await answer.text()) : undefined
  }
  const certificateAt = async (url: URL): Promise<X509Certificate | undefined> => {
    let found = certificates.get(url.href)
    if (!found) certificates.set(url.href, (found = fetchCertificate(url).catch(() => undefined)))
    const certificate = await found
    // One that could not be had is asked for again.
    if (!certificate) certificates.delete(url.href)
    return certificate
  }

  const isSigned = async (message: Message) => {
    const url = toUrl(message.SigningCertURL)
    if (!url || !isCloud(url) || !/^\/[\w-]{1,100}\.pem$/.test(url.pathname) || url.search) return false
    const certificate = await certificateAt(url)
    const now = clock.now()
    if (!certificate || now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo))
      return false
    return createVerify(message.SignatureVersion === '1' ? 'sha1' : 'sha256')
      .update(signedText(message))
      .verify(certificate.publicKey, message.Signature, 'base64')
  }

  return {
    async read(body) {
      const { data: message } = Message.safeParse(parsed(body))
      // Nothing is fetched for messages of others.
      if (!message || message.TopicArn !== arn) return undefined
      const age = Math.abs(clock.now() - Date.parse(message.Timestamp))
      if (!(age <= longestAgeMs) || !(await isSigned(message))) return undefined
      if (message.Type === 'Notification') return { kind: 'notification', text: message.Message }
      if (message.Type === 'UnsubscribeConfirmation') return { kind: 'unsubscribed' }
      const url = toUrl(message.SubscribeURL ?? '')
      return url && isCloud(url) && url.searchParams.get('TopicArn') === arn
        ? { kind: 'subscription', url }
        : undefined
    },
    async confirm(url) {
      const request = { timeoutMs: requestMs, maxBytes: 65_536, redirect: 'manual' as const }
      return http.request(url, request).then(
        async (answer) => {
          await answer.bytes()
          return answer.status === 200
        },
        () => false,
      )
    },
  }
}

/** Whether an address is one of the cloud, in the region of the topic. */
function hostTest(arn: string, baseUrl: string | undefined): (url: URL) => boolean {
  if (baseUrl !== undefined) return ({ origin }) => origin === new URL(baseUrl).origin
  const [, partition, , region] = arn.split(':')
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  return ({ protocol, host: given, username, password }) =>
    protocol === 'https:' && given === host && username === '' && password === ''
}

function signedText(message: Message): string {
  const names: ReadonlyArray<keyof Message> =
    message.Type === 'Notification' ? signed.Notification : signed.confirmation
  return names
    .flatMap((name) => (message[name] === undefined ? [] : [`${name}\n${message[name]}\n`]))
    .join('')
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
