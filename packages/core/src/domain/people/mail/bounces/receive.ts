import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { readBounceReport } from '../../../../platform/mail/bounce-report.ts'
import { readCloudEvent } from '../../../../platform/mail/cloud-events.ts'
import {
  isSignedByService,
  readServiceEvent,
  type ServiceCall,
} from '../../../../platform/mail/service-events.ts'
import type { Topic } from '../../../../platform/mail/topic.ts'
import { type BounceOutcome, noteBounce } from './note-bounce.ts'

/**
 * Takes a report that a mail could not be delivered, as a mail server hands it over. Any other mail is left alone.
 * @returns what became of it, with the mail that it is about
 */
export async function receiveBounceReport(
  ctx: Ctx,
  raw: Uint8Array,
): Promise<{ outcome: BounceOutcome | 'no_report'; mailId: string | null }> {
  const bounce = await readBounceReport(raw)
  if (!bounce) return { outcome: 'no_report', mailId: null }
  return { outcome: await noteBounce(ctx, bounce), mailId: bounce.mailId }
}

/**
 * Takes an event of the mail service, or a message of the topic of Amazon SNS by which SES tells. Those that say nothing of an address are
 * answered and forgotten. Serves `POST /admin/v1/mail/webhook`.
 * @throws DomainError `NOT_FOUND` where neither a secret nor a topic is configured; `UNAUTHORIZED` for a wrong or missing signature;
 *   `UNPROCESSABLE` when the topic does not take the confirmation of its subscription
 */
export async function receiveServiceEvent(ctx: Ctx, call: ServiceCall): Promise<{ received: true }> {
  const { mailTopic, settings } = ctx.services
  if (mailTopic && call.header('x-amz-sns-message-type') !== undefined)
    return receiveTopicMessage(ctx, mailTopic, call)
  const { mailWebhookSecrets: secrets } = settings
  if (secrets.length === 0) throw new DomainError('NOT_FOUND', 'No mail service reports here')
  if (!isSignedByService(call, { secrets, now: ctx.clock.now() })) {
    ctx.log.warn('a call of the mail webhook was refused: its signature is wrong', {
      bytes: call.body.length,
    })
    throw new DomainError('UNAUTHORIZED', 'The signature does not match the body, or is too old')
  }
  const bounce = readServiceEvent(call.body)
  if (bounce) await noteBounce(ctx, bounce)
  return { received: true }
}

async function receiveTopicMessage(
  ctx: Ctx,
  topic: Topic,
  { body }: ServiceCall,
): Promise<{ received: true }> {
  const message = await topic.read(body)
  if (!message) {
    ctx.log.warn('a message for the mail topic was refused: it is not signed by that topic, or too old', {
      bytes: body.length,
    })
    throw new DomainError('UNAUTHORIZED', 'The message is not one of the topic, or is too old')
  }
  if (message.kind === 'unsubscribed')
    ctx.log.warn('the mail topic tells nothing any more: it was unsubscribed')
  if (message.kind === 'subscription') {
    if (!(await topic.confirm(message.url)))
      throw new DomainError('UNPROCESSABLE', 'The topic has not taken the confirmation')
    ctx.log.info('the subscription of the mail topic is confirmed')
  }
  const bounce = message.kind === 'notification' ? readCloudEvent(message.text) : undefined
  if (bounce) await noteBounce(ctx, bounce)
  return { received: true }
}

declare module '../../../../kernel/services.ts' {
  interface Services {
    /** The topic by which a cloud tells of mails that came back; undefined where none is configured. */
    mailTopic: Topic | undefined
  }
  interface Settings {
    /** What the mail service signs its events with; two while one is exchanged for the other, none where it reports nothing. */
    mailWebhookSecrets: readonly string[]
  }
}
