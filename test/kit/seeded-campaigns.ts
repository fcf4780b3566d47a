import type { Client } from '@copydesk/client'
import type { Team, TestApp } from './app.ts'

/** Makes a campaign that waits for the client's approval. */
export async function waitForClient(member: Client, name: string): Promise<string> {
  const { id: campaignId } = await member.call('tenant', 'POST /campaigns', {
    body: { name: `${name} ads`, type: 'paid_ads', channel: ['search_ads'], goal: `More of ${name}` },
  })
  const params = { campaignId }
  await member.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params,
    body: { status: 'client_review', note: `All about ${name}` },
  })
  return campaignId
}

/** Makes a campaign that is reviewed by the team, and has a group of people. @returns ids of both */
export async function prepareCampaign(
  member: Client,
  name: string,
): Promise<{ campaignId: string; segmentId: string }> {
  const { id: campaignId } = await member.call('tenant', 'POST /campaigns', {
    body: { name: `${name} letters`, type: 'email_marketing', channel: ['email'], goal: `Sell ${name}` },
  })
  const params = { campaignId }
  await member.call('tenant', 'PATCH /campaigns/:campaignId/status', {
    params,
    body: { status: 'dm_review' },
  })
  const { id: segmentId } = await member.call('tenant', 'POST /campaigns/:campaignId/audience', {
    params,
    body: { name: `Friends of ${name}`, segmentType: 'crm_segment', filters: { likes: name } },
  })
  return { campaignId, segmentId }
}

/** The first of a tenant's campaigns in a status, of any type unless it is named. */
export async function campaignIn(
  app: TestApp,
  { tenantId }: Team,
  status: 'client_review' | 'dm_review' | 'draft' | 'active',
  type = '%',
): Promise<string> {
  const row = await app.db.sql.get<{ id: string }>(
    `select min(id) as id from campaigns where tenant_id = ? and status = ? and type like ?`,
    [tenantId, status, type],
  )
  return row?.id ?? ''
}
