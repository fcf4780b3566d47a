import { z } from 'zod'
import { clockTime } from '../../../work/approvals/schemas.ts'

export const SlotsChange = z.object({
  /** 1 is Monday, 7 is Sunday; none, or no times: pieces go out as soon as they are approved. */
  days: z.array(z.int().min(1).max(7)).max(7),
  times: z.array(clockTime).max(24),
})
export type SlotsChange = z.output<typeof SlotsChange>

/** Of each channel one piece goes out at a slot. */
export const SlotsView = z.object({
  days: z.array(z.int()),
  times: z.array(z.string()),
  timezone: z.string(),
})
export type SlotsView = z.output<typeof SlotsView>
