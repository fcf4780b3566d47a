import { z } from 'zod'
import { isoDate, page, pageQuery, queryList, ulid } from '../../../platform/wire.ts'

/** Largest skill in bytes, its references included. */
export const maxSkillBytes = { global: 2 * 1024 * 1024, tenant: 500 * 1024 }

const reference = z.object({ name: z.string(), content: z.string() })

export const SkillItem = z.object({
  id: ulid,
  name: z.string(),
  /** When to use it: all that an agent sees before it reads the skill. */
  description: z.string(),
  scope: z.enum(['tenant', 'global']),
  /** Roles of the agents that have it. */
  assignedAgents: z.array(z.string()),
  /** Of the file and its references, as they were uploaded. */
  sizeBytes: z.int(),
  /** Name of a person. */
  createdBy: z.string(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type SkillItem = z.output<typeof SkillItem>
export const SkillList = z.object({ data: z.array(SkillItem) })
export const SkillPage = page(SkillItem)

export const SkillDetail = SkillItem.extend({
  /** Markdown: the file as it was uploaded. */
  content: z.string(),
  references: z.array(reference),
})
export type SkillDetail = z.output<typeof SkillDetail>

const agentRole = z.string().trim().min(1).max(100)

export const SkillQuery = z.object({
  'filter.scope': z.enum(['tenant', 'global']).optional(),
  'filter.agentRole': agentRole.optional(),
})
export type SkillQuery = z.output<typeof SkillQuery>

export const GlobalSkillQuery = pageQuery.extend({
  'filter.agentRole': agentRole.optional(),
  /** Words of the name or the description. */
  search: z.string().trim().min(1).max(200).optional(),
})
export type GlobalSkillQuery = z.output<typeof GlobalSkillQuery>

const fields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^/\\\p{Cc}]+$/u, 'Must be one line without slashes'),
  description: z.string().trim().min(1).max(1_000),
}
export const skillName = fields.name
export const skillDescription = fields.description

/** The fields of a form; name and description may stand in the front matter of the file instead. */
export const NewSkill = z.object({
  name: fields.name.optional(),
  description: fields.description.optional(),
  /** Comma-separated, or `all`: every role, and those that come later. */
  agentRoles: queryList(agentRole),
})
export type NewSkill = z.output<typeof NewSkill>

export const SkillFormChanges = NewSkill.partial()
export type SkillFormChanges = z.output<typeof SkillFormChanges>
export const SkillChanges = SkillFormChanges.extend({
  agentRoles: z.union([z.literal('all'), z.array(agentRole).max(100)]).optional(),
  content: z
    .string()
    .max(2 * 1024 * 1024)
    .optional(),
  /** Replaces all of them. */
  references: z
    .array(z.object({ name: fields.name, content: z.string().max(2 * 1024 * 1024) }))
    .max(20)
    .optional(),
})
export type SkillChanges = z.output<typeof SkillChanges>

export const SkillManifest = z.object({
  manifest: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type SkillManifest = z.output<typeof SkillManifest>

export const SkillText = z.object({
  name: z.string(),
  /** Markdown. */
  content: z.string(),
  references: z.array(reference).optional(),
})
export type SkillText = z.output<typeof SkillText>
