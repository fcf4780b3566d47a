import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { planNames } from '../../accounts/billing/plans/entities.ts'
import { agentTools, promptSettings } from './schemas.ts'

/** An agent role as it is before any tenant changes it, in lists. */
export const MasterItem = z.object({
  role: z.string(),
  /** For people. */
  name: z.string(),
  description: z.string(),
  defaultModel: z.string(),
  defaultAdapter: z.string(),
  defaultTools: z.array(z.string()),
  defaultSkillIds: z.array(ulid),
  /** Null is without a cap. */
  maxCostUsdPerActivity: z.number().nullable(),
  defaultConcurrency: z.int(),
  isAvailableOnPlans: z.array(z.string()),
  lastUpdatedOn: isoDate,
})
export type MasterItem = z.output<typeof MasterItem>
export const MasterList = z.object({ data: z.array(MasterItem) })

export const MasterDetail = MasterItem.extend({
  adapterConfig: z.object({
    promptTemplate: z.string(),
    /** Seconds. */
    timeoutSec: z.int(),
    /** Seconds. */
    graceSec: z.int(),
    maxTurnsPerRun: z.int(),
    fallbackModels: z.array(z.string()),
  }),
  /** What the template may say in `{{…}}`. */
  placeholders: z.array(z.string()),
})
export type MasterDetail = z.output<typeof MasterDetail>

const skillIds = z.array(ulid).max(100)

export const MasterChanges = z.strictObject({
  defaultModel: z.string().min(1).max(200).optional(),
  /** Replaces the whole list, as the next two do. */
  defaultTools: z.array(z.enum(agentTools)).max(agentTools.length).optional(),
  defaultSkillIds: skillIds.optional(),
  isAvailableOnPlans: z.array(z.enum(planNames)).max(planNames.length).optional(),
  /** Null takes the cap away. */
  maxCostUsdPerActivity: usdAmount.nullable().optional(),
  defaultConcurrency: z.int().min(1).max(10).optional(),
  adapterConfig: z.strictObject(promptSettings).optional(),
})
export type MasterChanges = z.output<typeof MasterChanges>

/** The fields of a master that a push can bring to tenants; `adapterConfig` stands for all of its own. */
export const pushFields = [
  'defaultModel',
  'defaultTools',
  'defaultSkillIds',
  'maxCostUsdPerActivity',
  'defaultConcurrency',
  'isAvailableOnPlans',
  'adapterConfig',
  'adapterConfig.promptTemplate',
  'adapterConfig.timeoutSec',
  'adapterConfig.graceSec',
  'adapterConfig.maxTurnsPerRun',
  'adapterConfig.fallbackModels',
] as const
export type PushField = (typeof pushFields)[number]

export const AgentConfigPush = z
  .strictObject({
    scope: z.enum(['all_tenants', 'new_tenants_only', 'specific_tenants']),
    tenantIds: z.array(ulid).min(1).max(1_000).optional(),
    fields: z.array(z.enum(pushFields)).min(1).max(pushFields.length),
    /** Takes away what tenants have set themselves. */
    overrideCustom: z.boolean().default(false),
  })
  .refine(({ scope, tenantIds }) => (scope === 'specific_tenants') === (tenantIds !== undefined), {
    path: ['tenantIds'],
    message: 'Goes with the scope specific_tenants, and with no other',
  })
export type AgentConfigPush = z.output<typeof AgentConfigPush>

export const PushReceipt = z.object({
  /** Tenants that have the master's values in all of the fields now. */
  pushed: z.int(),
  /** Tenants with values of their own, which they keep. */
  skipped: z.int(),
})
export type PushReceipt = z.output<typeof PushReceipt>
