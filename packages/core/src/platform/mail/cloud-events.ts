import { z } from 'zod'
import { type Bounce, mailIdHeader } from './bounce-report.ts'
import { bounceKindOf } from './service-events.ts'
import { oneLine } from './text.ts'

const Recipient = z.object({ status: z.string().optional(), diagnosticCode: z.string().optional() })
const Told = z.object({
  /** The one in notifications of an identity, the other in those of a configuration set. */
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: z.object({ headers: z.array(z.object({ name: z.string(), value: z.string() })).max(1_000) }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string().default(''),
      bouncedRecipients: z.array(Recipient).max(100).default([]),
    })
    .optional(),
  complaint: z.object({ complaintFeedbackType: z.string().default('abuse') }).optional(),
})

const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** What a notification of Amazon SES says of an address; undefined for all that says nothing of one, or of a mail of ours. */
export function readCloudEvent(text: string): Bounce | undefined {
  const { data: told } = Told.safeParse(parsed(text))
  if (!told) return undefined
  const { mail, bounce, complaint } = told
  const mailId = mail.headers
    .find(({ name }) => name.toLowerCase() === mailIdHeader.toLowerCase())
    ?.value.trim()
  if (mailId === undefined || !ulid.test(mailId)) return undefined
  const type = told.notificationType ?? told.eventType
  if (type === 'Complaint' && complaint) {
    const { complaintFeedbackType: how } = complaint
    return how === 'not-spam'
      ? undefined
      : { mailId, kind: 'complaint', detail: oneLine(`Complaint: ${how}`).slice(0, 300) }
  }
  if (type !== 'Bounce' || !bounce) return undefined
  const { bounceType, bounceSubType, bouncedRecipients } = bounce
  const kind = bounceKindOf(bounceType, bounceSubType)
  const said = bouncedRecipients[0]?.diagnosticCode ?? bouncedRecipients[0]?.status ?? ''
  return kind && { mailId, kind, detail: oneLine(`${bounceType} ${bounceSubType}: ${said}`).slice(0, 300) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
