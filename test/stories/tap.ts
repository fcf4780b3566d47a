import type { Client } from '@copydesk/client'
import { expect } from 'vitest'

/** Shows what the app opens on a tap. */
export async function tap(phone: Client, deepLink: string): Promise<{ id: string }> {
  const [, place, id = ''] = /^copydesk:\/\/(\w+)\/(\w+)$/.exec(deepLink) ?? []
  if (place === 'approvals')
    return phone.call('mobile', 'GET /approvals/:approvalId', { params: { approvalId: id } })
  if (place === 'activities')
    return phone.call('mobile', 'GET /activities/:activityId', { params: { activityId: id } })
  expect(place).toBe('campaigns')
  return phone.call('mobile', 'GET /campaigns/:campaignId', { params: { campaignId: id } })
}
