import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { leadSources } from '../leads/entities.ts'
import { leadStatuses } from '../leads/fields.ts'
import { mailPlaceholders, unknownPlaceholders } from '../mailing/word-mail.ts'
import { sequenceChannels } from './channels.ts'
import { sequenceKinds, sequenceStatuses, triggerTypes } from './entities.ts'

const known = mailPlaceholders.map((name) => `{{${name}}}`).join(', ')
const template = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => unknownPlaceholders(text).length === 0, `The only placeholders are ${known}`)

const subject = template(200).refine((text) => !/[\r\n]/.test(text), 'Must be one line')
const body = template(20_000)
/** Whole days after the step before, at the same time by the clocks of the tenant's zone. */
const delay = z.int().min(0).max(365)

export const SequenceStepItem = z.object({
  id: ulid,
  position: z.int(),
  subject: z.string(),
  body: z.string(),
  delay: z.int(),
  /** Whether a person has approved the text as it is. */
  approved: z.boolean(),
  approvedBy: z.string().nullable(),
  sent: z.int(),
  failed: z.int(),
  /** May have gone out; never sent again. */
  unknown: z.int(),
})
export type SequenceStepItem = z.output<typeof SequenceStepItem>

/** Which leads; an empty list is no limit. */
export const AudienceItem = z.object({
  statuses: z.array(z.enum(leadStatuses)),
  sources: z.array(z.enum(leadSources)),
  tag: z.string().nullable(),
})

export const AudienceInput = z.object({
  statuses: z.array(z.enum(leadStatuses)).max(leadStatuses.length).default([]),
  sources: z.array(z.enum(leadSources)).max(leadSources.length).default([]),
  tag: z.string().trim().min(1).max(50).nullable().default(null),
})

export const SequenceItem = z.object({
  id: ulid,
  campaignId: ulid,
  kind: z.enum(sequenceKinds),
  /** Of review requests: how many of the steps people have let go out. */
  released: z.int().nullable(),
  name: z.string(),
  triggerType: z.enum(triggerTypes),
  startsAt: isoDate.nullable(),
  audience: AudienceItem,
  status: z.enum(sequenceStatuses),
  steps: z.array(SequenceStepItem),
  /** SHA-256 of its texts and delays, for the activation. */
  contentHash: z.string(),
  /** By what its steps go out. */
  channel: z.enum(sequenceChannels),
  /** The e-mail platform that its mails are handed to; null where this server sends them. */
  platform: z.object({ channelId: ulid, name: z.string() }).nullable(),
  /** Why the platform takes no mails, and until when it is not asked again; null while it takes them. */
  held: z.object({ reason: z.string(), until: isoDate }).nullable(),
  contacts: z.object({ waiting: z.int(), done: z.int(), stopped: z.int() }),
  activatedOn: isoDate.nullable(),
  nextAt: isoDate.nullable(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type SequenceItem = z.output<typeof SequenceItem>
export const SequenceList = z.object({ data: z.array(SequenceItem) })

export const NewSequence = z.object({
  name: z.string().trim().min(1).max(200),
  triggerType: z.enum(triggerTypes),
  /** Of `on_date`; without it the campaign's start date at 9 in the tenant's zone. */
  startsAt: isoDate.optional(),
  /** Which leads; without it all that have an e-mail address. */
  audience: AudienceInput.optional(),
  /** Without them three empty ones, at once and after 3 and 7 days. */
  steps: z.array(z.object({ subject, body, delay })).min(1).max(10).optional(),
})
export type NewSequence = z.output<typeof NewSequence>

export const SequenceStepChange = z
  .object({ subject: subject.optional(), body: body.optional(), delay: delay.optional() })
  .refine((change) => Object.keys(change).length > 0, 'Name what is to be changed')
export type SequenceStepChange = z.output<typeof SequenceStepChange>

/** `contentHash`: of the sequence as it was seen; another one is not activated. */
export const SequenceActivation = z.object({
  contentHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256 in lower-case hex')
    .optional(),
})
export type SequenceActivation = z.output<typeof SequenceActivation>

/** `step`: the number of the one that is meant, the first is 1; without it the next one. */
export const StepToRelease = z.object({ step: z.int().min(1).max(10).optional() })
export type StepToRelease = z.output<typeof StepToRelease>

/** What was let go out. */
export const StepReleased = z.object({
  sequenceId: ulid,
  stepId: ulid,
  /** The first is 0. */
  position: z.int(),
  subject: z.string(),
  /** How many steps are left after it. */
  left: z.int(),
})
export type StepReleased = z.output<typeof StepReleased>
