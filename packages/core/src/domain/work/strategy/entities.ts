import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  dateColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** A tenant's strategy as it is now; former ones are kept as versions. */
export const Strategy = defineEntity({
  name: 'Strategy',
  tableName: 'strategies',
  properties: {
    tenantId: refColumn().primary(),
    /** Markdown. */
    content: p.text(),
    /** The version that is in force; 0 while there is none. */
    version: p.integer(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})

/** An activity whose approved output becomes the strategy. */
export const StrategyDraft = defineEntity({
  name: 'StrategyDraft',
  tableName: 'strategy_drafts',
  properties: {
    activityId: refColumn().primary(),
    tenantId: refColumn(),
  },
  indexes: [{ name: 'strategy_drafts_by_tenant', properties: ['tenantId', 'activityId'] }],
  filters: ownedByTenant,
})

/** The last seven are what platforms count of posts and mails, and the sources of a website of it. */
export const goalMetrics = [
  'pieces_finished',
  'first_pass_rate',
  'spend_usd',
  'impressions',
  'responses',
  'clicks',
  'opens',
  'views',
  'key_events',
  'search_clicks',
] as const
export type GoalMetric = (typeof goalMetrics)[number]

/** What a tenant wants to reach in a span of days. */
export const Goal = defineEntity({
  name: 'Goal',
  tableName: 'goals',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    title: p.string(),
    metric: p.string().$type<GoalMetric>(),
    /** In millionths of what the metric counts in: pieces, per cent, dollars, or what is counted of posts and pages. */
    targetMicros: microsColumn(),
    /** Days of the tenant's zone; both are part of it. */
    periodStart: dateColumn(),
    periodEnd: dateColumn(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  indexes: [{ name: 'goals_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})

export type GoalRow = InferEntity<typeof Goal>
export type StrategyRow = InferEntity<typeof Strategy>
