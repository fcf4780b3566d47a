import type { ApprovalType, RiskLevel } from './entities.ts'

const hour = 3_600_000

const riskByType: Record<ApprovalType, RiskLevel> = {
  budget_authorization: 'high',
  strategy_change: 'high',
  channel_action: 'high',
  brand_direction: 'medium',
  content_direction: 'medium',
  content_review: 'low',
}

const hoursByRisk: Record<RiskLevel, number> = { high: 24, medium: 48, low: 72 }

/** How long before the expiry people are warned. */
export const warningMs = 4 * hour

export function riskOf(type: ApprovalType): RiskLevel {
  return riskByType[type]
}

/** 1 for high, 2 for medium, 3 for low: the order in which people are asked, and that of the index. */
export function rankOf(risk: RiskLevel): number {
  return { high: 1, medium: 2, low: 3 }[risk]
}

/** When a question of this risk, asked at `from`, is too old to be answered. */
export function expiryOf(risk: RiskLevel, from: Date): Date {
  return new Date(from.getTime() + hoursByRisk[risk] * hour)
}
