import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { leadSources, timelineKinds } from './entities.ts'
import { leadFields, leadStatuses, line } from './fields.ts'

export const NewLead = z.object({
  firstName: leadFields.firstName,
  lastName: leadFields.lastName,
  email: leadFields.email.optional(),
  phone: leadFields.phone.optional(),
  company: leadFields.company.optional(),
  source: z.enum(leadSources).default('manual'),
  /** Becomes the first comment of the timeline. */
  notes: leadFields.notes.optional(),
  tags: leadFields.tags.optional(),
})
export type NewLead = z.output<typeof NewLead>

/** What is not named stays as it is; null empties a field. */
export const LeadChange = z
  .object({
    firstName: leadFields.firstName,
    lastName: leadFields.lastName,
    email: leadFields.email.nullable(),
    phone: leadFields.phone.nullable(),
    company: leadFields.company.nullable(),
    status: leadFields.status,
    score: leadFields.score.nullable(),
    tags: leadFields.tags,
    /** The id of an active user of the tenant. */
    assignedTo: ulid.nullable(),
    /** What the lead has said to a person, who says where: “told me by phone”. It joins the timeline and takes nothing out of it. */
    consent: z.object({
      kind: z.enum(['agreed', 'declined']),
      note: line(500).min(1),
    }),
  })
  .partial()
export type LeadChange = z.output<typeof LeadChange>

export const LeadItem = z.object({
  id: ulid,
  firstName: z.string(),
  lastName: z.string(),
  email: z.string().optional(),
  phone: z.string().optional(),
  company: z.string().optional(),
  status: z.enum(leadStatuses),
  source: z.enum(leadSources),
  sourceRef: z.string().optional(),
  score: z.int().optional(),
  assignedTo: z.object({ id: ulid, name: z.string() }).optional(),
  tags: z.array(z.string()),
  createdOn: isoDate,
})
export type LeadItem = z.output<typeof LeadItem>
export const LeadPage = page(LeadItem)

export const TimelineEntry = z.object({
  id: ulid,
  at: isoDate,
  kind: z.enum(timelineKinds),
  text: z.string(),
  /** `id` is null for what no user of the tenant has done, such as a form. */
  actor: z.object({ id: z.string().nullable(), name: z.string() }),
})
export type TimelineEntry = z.output<typeof TimelineEntry>

export const LeadDetail = LeadItem.extend({
  updatedOn: isoDate,
  /** The newest 200 entries, newest first. */
  timeline: z.array(TimelineEntry),
})
export type LeadDetail = z.output<typeof LeadDetail>

/** What leads a list or an export is about. */
export const leadFilter = {
  'filter.status': z.enum(leadStatuses).optional(),
  'filter.source': z.enum(leadSources).optional(),
  /** Beginnings of words of the name or the e-mail address; all of them must be found. */
  search: z.string().trim().min(1).max(200).optional(),
}
export const LeadFilter = z.object(leadFilter)
export type LeadFilter = z.output<typeof LeadFilter>
export const LeadQuery = pageQuery.extend(leadFilter)
export type LeadQuery = z.output<typeof LeadQuery>
