import type { RequestStatus } from './entities.ts'

export const socialPlatforms = [
  'professional_network',
  'social_network_a',
  'photo_network',
  'short_video_network',
] as const
export type SocialPlatform = (typeof socialPlatforms)[number]

export const operatorStatuses = ['pending', 'approved', 'in_progress', 'published', 'rejected'] as const
export type OperatorStatus = (typeof operatorStatuses)[number]

/** One status, as operators call it and as it is stored and shown to tenants. */
const stored: Record<OperatorStatus, RequestStatus> = {
  pending: 'draft',
  approved: 'approved',
  in_progress: 'in_production',
  published: 'completed',
  rejected: 'rejected',
}

export function fromOperator(status: OperatorStatus): RequestStatus {
  return stored[status]
}

export function toOperator(status: RequestStatus): OperatorStatus {
  return operatorStatuses.find((word) => stored[word] === status) as OperatorStatus
}
