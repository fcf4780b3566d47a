import { randomUUID } from 'node:crypto'
import type { EndpointInfo } from '@copydesk/core'
import { createEncryptor } from '../../packages/core/src/platform/crypto/encryptor.ts'
import { accountExamples } from './account-examples.ts'
import { agentExamples } from './agent-examples.ts'
import { brief, encryptionKeys } from './app.ts'
import { billingExamples } from './billing-examples.ts'
import { campaignExamples } from './campaign-examples.ts'
import type { Input, InputExamples } from './input.ts'
import { operatorExamples } from './operator-examples.ts'
import { publishingExamples } from './publishing-examples.ts'
import type { SeededInstance } from './seeded-instance.ts'
import { wantedAct } from './seeded-people.ts'
import type { SeededTenant } from './seeded-tenant.ts'
import { reportOn } from './seeded-work.ts'

const soon = ({ clock }: SeededInstance) => ({
  body: { until: new Date(clock.now() + 3_600_000).toISOString() },
})

/** The signature of an address without an end. */
function addressMac(tenantId: string, assetId: string): string {
  const keys = encryptionKeys.map(({ id, key }) => ({ id, key: Buffer.from(key, 'base64') }))
  const [mac] = createEncryptor({ keys, currentId: keys[0]?.id ?? '' }).macs(
    `${tenantId}/${assetId}/0`,
    'asset address',
  )
  return mac
}

const postOf = ({ ids }: SeededTenant) => ids['blog_posts']?.[0] ?? ''

/** Inputs that schemas and names alone do not lead to. */
const examples: InputExamples = {
  ...accountExamples,
  ...operatorExamples,
  ...agentExamples,
  'dashboard.activities.retry': ({ ours }) => ({ params: { activityId: ours.failed[0] ?? '' } }),
  'dashboard.activities.output': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dashboard.versions.get': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '', version: '1' } }),
  'dashboard.versions.diff': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dm.versions.get': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '', version: '1' } }),
  'dm.versions.diff': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'dashboard.agents.change': () => ({ body: { concurrency: 4, adapterConfig: { timeoutSec: 60 } } }),
  'tenant.agents.change': () => ({ body: { concurrency: 4, adapterConfig: { timeoutSec: 60 } } }),
  'dashboard.feed.snooze': (instance) => soon(instance),
  'dashboard.knowledge_base.search': ({ ours }) => ({
    body: { query: 'rye', datasetIds: ours.ids['datasets'] },
  }),
  // The first dataset has a crawl that waits.
  'dashboard.knowledge_base.crawl': ({ ours }) => ({
    params: { datasetId: ours.ids['datasets']?.[1] ?? '' },
    body: { startUrl: 'https://bakery.example/' },
  }),
  'dashboard.chat.message': () => ({ body: { message: 'What waits for a verdict?' } }),
  'dashboard.lead_forms.create': () => ({
    body: { name: 'Contact', allowedOrigins: ['https://site.example'] },
  }),
  'dashboard.lead_forms.change': () => ({ body: { name: 'Contact', active: false } }),
  'forms.submit': () => ({ body: { name: 'Rosa Field', email: 'rosa@site.example', message: 'Hello' } }),
  'dashboard.leads.create': () => ({
    body: { firstName: 'Nora', lastName: 'Berg', email: 'nora@lead.example', phone: '+49 30 7654321' },
  }),
  'dashboard.leads.change': ({ ours }) => ({ body: { status: 'contacted', assignedTo: ours.adminId } }),
  'dashboard.skills.create': () => ({
    body: { name: 'Headlines', description: 'Read it for ads.', agentRoles: 'ads_writer' },
  }),
  'dashboard.skills.change': () => ({ body: { name: 'Tone', content: 'Warm.' } }),
  'dashboard.approvals.resolve': () => ({ body: { resolution: 'approved' } }),
  'dashboard.approvals.set_hours': () => ({ body: { days: [1, 2, 3, 4], from: '08:00', until: '16:30' } }),
  ...publishingExamples,
  'dashboard.blog_requests.create': () => ({ body: { topic: 'Rye at night' } }),
  'dm.reports.create': ({ ours }) => ({ body: reportOn(ours.tenantId, 'January') }),
  'dm.reports.deliver': ({ ours }) => ({ body: { to: [ours.email] } }),
  'dm.reports.retry': ({ ours }) => ({ params: { reportId: ours.ids['reports']?.[1] ?? '' } }),
  'health.arrival': ({ tokens, newId }) => ({
    params: { token: tokens.sign('arrival', { sub: newId() }) },
  }),
  'files.media': ({ ours }) => {
    const id = ours.ids['assets']?.[0] ?? ''
    return { params: { token: `${id}.0.${addressMac(ours.tenantId, id)}`, name: 'file.svg' } }
  },
  'files.report': ({ ours, tokens }) => ({
    params: {
      token: tokens.sign('report', { sub: ours.ids['reports']?.[0] ?? '', tenantId: ours.tenantId }),
    },
  }),
  'dm.blog.list': ({ ours }) => ({ query: { tenantId: ours.tenantId } }),
  'dm.blog.get': ({ ours }) => ({ params: { id: postOf(ours) } }),
  'dm.blog.approve': ({ ours }) => ({ params: { id: postOf(ours) } }),
  'dm.blog.reject': ({ ours }) => ({ params: { id: postOf(ours) }, body: { feedback: 'Too long' } }),
  'dashboard.campaigns.create': () => ({
    body: { name: 'Autumn', brief, deliverables: [{ type: 'blog_post', quantity: 1 }] },
  }),
  'dashboard.campaigns.change': () => ({ body: { name: 'Summer' } }),
  ...billingExamples,
  ...campaignExamples,
  'tenant.goals.change': () => ({ body: { title: 'More', targetValue: 12.5 } }),
  'tenant.goals.create': () => ({
    body: {
      title: 'Pieces',
      metric: 'pieces_finished',
      targetValue: 10,
      periodStart: '2026-01-01',
      periodEnd: '2026-03-31',
    },
  }),
  'tenant.webhooks.create': () => ({
    body: { url: 'https://hooks.example/in', eventTypes: ['approval_created'] },
  }),
  'tenant.webhooks.change': () => ({ body: { status: 'disabled' } }),
  'tenant.context.put': () => ({ body: { voice: 'Plain', bannedPhrases: ['Best ever'] } }),
  'dm.approvals.escalate': () => ({ body: { newRiskLevel: 'high', reason: 'Goes out tomorrow' } }),
  'dm.approvals.bulk_resolve': ({ ours }) => ({
    body: { approvalIds: ours.ids['approvals'], resolution: 'rejected', note: 'Too long' },
  }),
  'dashboard.team.invite': () => ({ body: { email: 'nia@test.example', name: 'Nia New', role: 'member' } }),
  'dashboard.team.change': ({ ours }) => ({
    params: { userId: ours.ids['users']?.[1] ?? '' },
    body: { role: 'member' },
  }),
  'dashboard.team.remove': ({ ours }) => ({ params: { userId: ours.ids['users']?.[1] ?? '' } }),
  'dm.activities.pause': ({ ours }) => ({ params: { activityId: ours.inProgress[0] ?? '' }, body: {} }),
  'dm.activities.resume': ({ ours }) => ({ params: { activityId: ours.inProgress.at(-1) ?? '' }, body: {} }),
  'dm.activities.retry': ({ ours }) => ({ params: { activityId: ours.failed[0] ?? '' } }),
  'dm.activities.cancel': ({ ours }) => ({ params: { activityId: ours.inProgress[0] ?? '' } }),
  'dm.activities.reassign': ({ ours }) => ({
    params: { activityId: ours.inProgress[0] ?? '' },
    body: { assigneeType: 'agent', assigneeId: 'blog_writer', reason: 'Too long for an ad' },
  }),
  'dm.agents.get': ({ ours }) => ({ params: { tenantId: ours.tenantId } }),
  'dm.agents.pause': ({ ours }) => ({ params: { tenantId: ours.tenantId }, body: {} }),
  'dm.agents.resume': ({ ours }) => ({ params: { tenantId: ours.tenantId, agentRole: 'auditor' } }),
  'dm.agents.clear_error': ({ ours }) => ({
    params: { tenantId: ours.tenantId, agentRole: 'analyst' },
    body: {},
  }),
  'dm.agents.run': ({ ours }) => ({
    params: { role: 'researcher' },
    body: { tenantId: ours.tenantId, prompt: 'Find three facts' },
  }),
  'dm.team.reassign_activities': ({ ours }) => ({
    params: { principalId: ours.ids['users']?.[1] ?? '' },
    body: { toId: ours.adminId, reason: 'On holiday' },
  }),
  'dm.approvals.resolve': () => ({ body: { resolution: 'rejected', note: 'Too long' } }),
  'dm.feed.snooze': (instance) => soon(instance),
  'cli.activities.stream': ({ ours }) => ({ params: { id: ours.written[0] ?? '' } }),
  'cli.approvals.bulk_resolve': ({ ours }) => [
    { body: { action: 'reject', ids: ours.ids['approvals'], note: 'Too long' } },
    { body: { action: 'approve', filter: { riskLevel: 'low' }, dryRun: true } },
    { body: { action: 'reject', filter: { tenantId: ours.tenantId, ageMinutesGt: 0 }, note: 'Too long' } },
  ],
  'cli.consents.request': () => ({ body: { ...wantedAct, line: '/pause ads_writer' } }),
  'cli.consents.get': ({ ours }) => ({ params: { id: ours.consentId } }),
  'cli.consents.answer': ({ ours }) => ({ params: { id: ours.consentId }, body: { agreed: true } }),
  'cli.consents.use': ({ ours }) => ({
    params: { id: ours.consentId },
    body: { actHash: wantedAct.actHash, elicited: 'accepted' },
  }),
  'cli.impersonate': ({ ours }) => ({ body: { tenantId: ours.tenantId } }),
  'cli.nl': () => ({ body: { query: 'What waits?', context: { surface: 'cli' } } }),
  'mobile.activities.output': ({ ours }) => ({ params: { activityId: ours.written[0] ?? '' } }),
  'mobile.push.register': () => ({
    body: { deviceId: randomUUID(), pushToken: 'a-new-token', platform: 'ios', appVersion: '1.0' },
  }),
  'mobile.push.change': ({ ours }) => ({
    params: { deviceId: ours.deviceId },
    body: { pushToken: 'a-newer-token' },
  }),
  'mobile.push.remove': ({ ours }) => ({ params: { deviceId: ours.deviceId } }),
  'tenant.notifications.read': () => ({ body: { markAll: true } }),
  'tenant.notifications.set_preferences': () => ({
    body: {
      ways: { budget_alert: { inbox: true, push: false, mail: true } },
      quietHours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
    },
  }),
  'dm.notifications.read': () => ({ body: { markAll: true } }),
  'mobile.notifications.read': () => ({ body: { markAll: true } }),
  'mobile.approvals.resolve': () => ({ body: { resolution: 'approved' } }),
}

/** The terminal asks most things of what reviewers have. */
export const delegatedId = ({ id }: EndpointInfo) =>
  id
    .replace(/^cli\./, 'dm.')
    .replace(/^tenant\.knowledge\./, 'dashboard.knowledge_base.')
    .replace(/^tenant\.chat\./, 'dashboard.chat.')

/** Whole inputs that an endpoint is known to take. */
export function examplesFor(instance: SeededInstance, info: EndpointInfo): Partial<Input>[] {
  return [(examples[info.id] ?? examples[delegatedId(info)])?.(instance) ?? []].flat()
}
