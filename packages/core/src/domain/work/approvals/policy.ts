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

/** Working hours within which people are expected to decide: twice that is over before the expiry, weekends aside. */
const workHoursByRisk: Record<RiskLevel, number> = { high: 2, medium: 4, low: 9 }

/** Working time within which people are expected to decide, milliseconds. */
export function workMsOf(risk: RiskLevel): number {
  return workHoursByRisk[risk] * hour
}

/** The next higher risk; undefined when there is none. */
export function higherRisk(risk: RiskLevel): RiskLevel | undefined {
  return { low: 'medium' as const, medium: 'high' as const, high: undefined }[risk]
}

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
