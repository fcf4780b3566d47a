import type { EndpointInfo } from '@copydesk/core'
import { linkOf } from './campaign-examples.ts'
import { delegatedId } from './input-examples.ts'
import { seededDigest, seededLimit } from './seeded-ads.ts'
import { wantedAct } from './seeded-people.ts'
import { reportOn } from './seeded-work.ts'

type Ids = Record<string, string>

/** A body that each endpoint takes, made of a tenant's ids. */
const bodies: Record<string, (ids: Ids) => object> = {
  'dashboard.activities.comment': () => ({ text: 'Hello' }),
  'dashboard.integrations.credentials': () => ({
    server: 'https://site.example',
    username: 'w',
    secret: 's',
  }),
  'dashboard.channels.choose_account': () => ({ account: 'another' }),
  'dashboard.publications.create': ({ activityId, channelId }) => ({ activityId, channelId }),
  'dashboard.mailings.create': ({ activityId }) => ({ activityId }),
  'dashboard.publications.set_link_tags': () => ({ hosts: ['oats.example'] }),
  'dashboard.publications.reconcile': () => ({ outcome: 'not_published' }),
  'dashboard.blog_requests.create': ({ channelId }) => ({ topic: 'Rye at night', channelId }),
  'dashboard.lead_forms.change': () => ({ name: 'Another' }),
  'dashboard.leads.start_import': () => ({ source: 'Fair' }),
  'dashboard.leads.change': ({ assignedTo }) => ({ company: 'Another', assignedTo }),
  'dashboard.skills.change': () => ({ name: 'Another tone' }),
  'dashboard.knowledge_base.configure': () => ({ name: 'Papers' }),
  'dashboard.knowledge_base.change': () => ({ enabled: true }),
  'dashboard.knowledge_base.crawl': () => ({ startUrl: 'https://site.example/' }),
  'dashboard.knowledge_base.search': ({ datasetIds }) => ({ query: 'oats', datasetIds: [datasetIds] }),
  'dashboard.chat.message': ({ conversationId, campaignId, activityId }) => ({
    message: 'What waits?',
    conversationId,
    context: { campaignId, activityId },
  }),
  'dashboard.knowledge_base.upload': () => ({}),
  'cli.kb.upload': ({ tenantId }) => ({ tenantId }),
  'dashboard.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'dashboard.approvals.set_hours': () => ({ days: [1, 2, 3, 4], from: '08:00', until: '16:30' }),
  'dashboard.campaigns.change': () => ({ name: 'Autumn' }),
  'tenant.campaigns.create': ({ deliverablePeriodId }) => ({
    name: 'Autumn',
    type: 'paid_ads',
    channel: ['search_ads'],
    goal: 'leads',
    deliverablePeriodId,
  }),
  'tenant.campaigns.change': ({ deliverablePeriodId }) => ({ name: 'Autumn', deliverablePeriodId }),
  'tenant.campaigns.import_all': ({ connectedChannelId, deliverablePeriodId }) => ({
    deliverablePeriodId,
    connectedChannelId,
    platform: 'search_ads',
    campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
  }),
  'tenant.campaigns.link_campaign': ({ connectedChannelId = '' }) => linkOf(connectedChannelId),
  'tenant.ads.set_limit': () => seededLimit,
  'tenant.campaigns.change_keyword': () => ({ status: 'paused' }),
  'tenant.campaigns.add_negative': ({ adGroupId }) => ({ keyword: 'pizza', matchType: 'exact', adGroupId }),
  'tenant.campaigns.push_negatives': () => ({ matchType: 'exact' }),
  'tenant.campaigns.add_sequence': () => ({ name: 'Welcome', triggerType: 'manual' }),
  'tenant.campaigns.review_sequence': () => ({
    reviewPlatform: 'City Guide',
    reviewUrl: 'https://guide.example/oats',
    tone: 'casual',
    channel: 'email',
  }),
  'tenant.campaigns.activate_sequence': () => ({}),
  'tenant.campaigns.send_review_requests': () => ({}),
  'tenant.campaigns.change_sequence_step': () => ({ subject: 'Good evening' }),
  'tenant.campaigns.plan_change_set': ({ keywordId }) => ({
    changes: [{ kind: 'keyword_status', keywordId, status: 'paused' }],
  }),
  'tenant.campaigns.plan_change_set: adGroupId in the body': ({ adGroupId }) => ({
    changes: [{ kind: 'add_negative', keyword: 'pizza', matchType: 'exact', adGroupId }],
  }),
  'tenant.campaigns.plan_change_set: negativeKeywordId in the body': ({ negativeKeywordId }) => ({
    changes: [{ kind: 'remove_negative', negativeKeywordId }],
  }),
  'tenant.campaigns.plan_change_set: activityId in the body': ({ adGroupId, activityId }) => ({
    changes: [{ kind: 'add_ad', adGroupId, activityId, finalUrl: 'https://oats.example/' }],
  }),
  'tenant.campaigns.approve_set': () => ({ digest: seededDigest }),
  'tenant.campaigns.decide_advice': () => ({ status: 'skipped' }),
  'tenant.campaigns.sync_terms': () => ({ from: '2026-04-01', to: '2026-04-09' }),
  'tenant.campaigns.decide_term_class': () => ({ dmDecision: 'watch' }),
  'dashboard.paid_ads.classify': () => ({ classification: 'watch' }),
  'tenant.campaigns.status': () => ({ status: 'dm_review' }),
  'tenant.campaigns.approve': () => ({ approved: true }),
  'cli.invoices.mark_paid': () => ({}),
  'tenant.campaigns.generate_brief': () => ({ targetAudienceDescription: 'Bakers' }),
  'tenant.campaigns.add_content': () => ({ deliverableType: 'social_post', inputPayload: {} }),
  'tenant.campaigns.add_audience': () => ({ name: 'Bakers', segmentType: 'custom_list' }),
  'tenant.campaigns.change_audience': () => ({ name: 'Millers' }),
  'tenant.webhooks.change': () => ({ description: 'Another' }),
  'media.assets.change': () => ({ altText: 'Another' }),
  'tenant.goals.change': () => ({ title: 'Another' }),
  'dm.approvals.send_to_client': () => ({ note: 'Like this?' }),
  'dm.approvals.escalate': () => ({ newRiskLevel: 'high', reason: 'Goes out tomorrow' }),
  'dm.approvals.bulk_resolve': ({ approvalIds }) => ({
    approvalIds: [approvalIds],
    resolution: 'rejected',
    note: 'No',
  }),
  'cli.approvals.bulk_resolve': ({ ids }) => ({ action: 'reject', ids: [ids], note: 'No' }),
  'cli.approvals.bulk_resolve: tenantId in the body': ({ tenantId }) => ({
    action: 'reject',
    // Of which there are none, so that the others can go on.
    filter: { tenantId, type: 'strategy_change' },
    note: 'No',
  }),
  'cli.consents.answer': () => ({ agreed: true }),
  'cli.consents.use': () => ({ actHash: wantedAct.actHash, elicited: 'accepted' }),
  'cli.nl': ({ tenantId }) => ({ query: 'What waits?', context: { tenantId, surface: 'cli' } }),
  'dashboard.team.change': () => ({ role: 'member' }),
  'dm.activities.comment': () => ({ text: 'Hello' }),
  'dm.activities.pause': () => ({}),
  'dm.activities.resume': () => ({}),
  'dm.activities.cancel': () => ({ reason: 'Not wanted' }),
  'dm.activities.reassign': ({ assigneeId }) => ({
    assigneeType: 'human',
    assigneeId,
    reason: 'A person should',
  }),
  'dm.agents.pause': () => ({}),
  'dm.agents.clear_error': () => ({}),
  'dm.agents.run': ({ tenantId, campaignId }) => ({ tenantId, campaignId, prompt: 'Find three facts' }),
  'dm.team.reassign_activities': ({ toId }) => ({ toId, reason: 'On holiday' }),
  'dm.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'dashboard.feed.snooze': () => ({ until: '2026-04-10T18:00:00Z' }),
  'dm.feed.snooze': () => ({ until: '2026-04-10T18:00:00Z' }),
  'dm.blog.reject': () => ({ feedback: 'No' }),
  'dm.reports.create': ({ tenantId = '', campaignIds }) => ({
    ...reportOn(tenantId, 'January'),
    campaignIds: [campaignIds],
  }),
  'dm.reports.deliver': () => ({ to: [] }),
  'mobile.activities.comment': () => ({ text: 'Hello' }),
  'mobile.push.register': ({ deviceId }) => ({
    deviceId,
    pushToken: `token-of-${deviceId}`,
    platform: 'ios',
    appVersion: '1.0',
  }),
  'mobile.push.change': ({ deviceId }) => ({ pushToken: `another-token-of-${deviceId}` }),
  'tenant.notifications.read': () => ({ markAll: true }),
  'mobile.notifications.read': () => ({ markAll: true }),
  'mobile.approvals.resolve': () => ({ resolution: 'rejected', note: 'No' }),
  'agent.callback.receive': () => ({ status: 'success', text: 'Text' }),
  'agent.actions.knowledge_search': () => ({ query: 'Oats' }),
  'agent.actions.web_read': () => ({ url: 'https://site.example/' }),
  'agent.actions.add_comment': () => ({ text: 'Hello' }),
  'agent.actions.create_approval': ({ linkedActivityIds }) => ({
    title: 'Which?',
    type: 'channel_action',
    linkedActivityIds: [linkedActivityIds],
    blockCurrentActivity: false,
  }),
  'agent.actions.create_subtask': () => ({
    title: 'Find out',
    agentRole: 'researcher',
    prompt: 'Find out',
    blocking: false,
  }),
  'agent.actions.reassign': ({ toUserId }) => ({ toUserId, reason: 'A person should' }),
  'agent.actions.report_blocker': () => ({ blockerType: 'insufficient_data', description: 'No data' }),
  'agent.actions.request_review': () => ({ title: 'Look', description: 'Please' }),
  'agent.runs.result': () => ({ status: 'success', text: 'Text' }),
  'agent.runs.stream': () => ({ delta: 'Text', sequenceNum: 1 }),
  'agent.sessions.put': ({ activityRunId }) => ({
    sessionId: 'talk-1',
    activityRunId,
    inputTokensSoFar: 10,
    outputTokensSoFar: 20,
  }),
  'agent.runs.tool_call': () => ({
    toolName: 'look_up',
    method: 'call',
    input: {},
    status: 'success',
    durationMs: 1,
  }),
}

/** A body for an endpoint, or one of its spots, where it takes one. */
export function bodyFor(info: EndpointInfo, ids: Ids, label = info.id): object | undefined {
  if (!info.definition.body) return undefined
  return (bodies[label] ?? bodies[info.id] ?? bodies[delegatedId(info)])?.(ids)
}
