import { z } from 'zod'
import { ulid } from '../../platform/wire.ts'

const line = z.string().max(2_000)

export const LanguageQuery = z.object({
  query: z.string().trim().min(1).max(2_000),
  context: z.object({
    tenantId: ulid.optional(),
    surface: z.literal('cli'),
    /** What was said before, oldest first: requests and commands of the same person. */
    history: z.array(line).max(50).optional(),
  }),
})
export type LanguageQuery = z.output<typeof LanguageQuery>

export const LanguageAnswer = z.object({
  type: z.enum(['data', 'action', 'clarification']),
  data: z
    .object({
      text: z.string(),
      /** The first row is the titles. */
      table: z.array(z.array(z.string())).optional(),
    })
    .optional(),
  action: z
    .object({
      /** A slash command, ready to run once confirmed. */
      command: z.string(),
      description: z.string(),
      /** Whether it is hard or impossible to take back. */
      destructive: z.boolean(),
      /** What it would touch. */
      preview: z.string().optional(),
    })
    .optional(),
  clarification: z.object({ question: z.string(), options: z.array(z.string()).optional() }).optional(),
})
export type LanguageAnswer = z.output<typeof LanguageAnswer>
