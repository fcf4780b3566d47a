import type { InputExamples } from './input.ts'
import { seededDigest, seededLimit } from './seeded-ads.ts'
import { linkKeyOf } from './seeded-sequences.ts'
import type { SeededTenant } from './seeded-tenant.ts'

const segmentOf = ({ inPreparation, ids }: SeededTenant) => ({
  params: { campaignId: inPreparation, segmentId: ids['campaign_audiences']?.[0] ?? '' },
})

const adsOf = ({ ids }: SeededTenant) => ids['channel_connections']?.[0] ?? ''

/** Of the campaign of the platform that no one has taken over. */
export const linkOf = (connectedChannelId: string) => ({
  connectedChannelId,
  platform: 'search_ads',
  externalCampaignId: '37',
  externalCampaignName: 'Seeded',
})

/** Inputs for the workflow of campaigns that schemas and names alone do not lead to. */
export const campaignExamples: InputExamples = {
  'tenant.campaigns.import_list': ({ ours }) => ({
    query: { channel: 'search_ads', connectedChannelId: adsOf(ours) },
  }),
  'tenant.campaigns.import_all': ({ ours }) => ({
    body: {
      connectedChannelId: adsOf(ours),
      platform: 'search_ads',
      campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
    },
  }),
  'tenant.campaigns.link_campaign': ({ ours }) => ({
    params: { campaignId: ours.unlinked },
    body: linkOf(adsOf(ours)),
  }),
  'tenant.ads.set_limit': () => ({ body: seededLimit }),
  'tenant.campaigns.change_keyword': () => ({ body: { bidMicros: 1_100_000, status: 'enabled' } }),
  'tenant.campaigns.add_negative': () => ({ body: { keyword: 'cheap pizza', matchType: 'exact' } }),
  'tenant.campaigns.plan_change_set': ({ ours }) => ({
    body: {
      changes: [{ kind: 'keyword_status', keywordId: ours.ids['campaign_keywords']?.[0], status: 'paused' }],
    },
  }),
  'tenant.campaigns.approve_set': () => ({ body: { digest: seededDigest } }),
  'tenant.campaigns.undo_set': ({ ours }) => ({
    params: { changeSetId: ours.ids['ad_change_sets']?.[1] ?? '' },
  }),
  'tenant.campaigns.decide_advice': () => ({ body: { status: 'dm_approved', note: 'Go on' } }),
  'tenant.campaigns.apply_advice': ({ ours }) => ({
    params: { recommendationId: ours.ids['campaign_recommendations']?.[1] ?? '' },
  }),
  'tenant.campaigns.add_sequence': ({ ours }) => ({
    params: { campaignId: ours.byMail },
    body: {
      name: 'Welcome',
      triggerType: 'manual',
      steps: [{ subject: 'Hello {{firstName}}', body: 'The ovens are on.', delay: 0 }],
    },
  }),
  'tenant.campaigns.change_sequence_step': ({ ours }) => ({
    params: { campaignId: ours.byMail },
    body: { subject: 'Good morning {{firstName}}', delay: 2 },
  }),
  'tenant.campaigns.activate_sequence': ({ ours }) => ({ params: { campaignId: ours.byMail }, body: {} }),
  'tenant.campaigns.review_sequence': ({ ours }) => ({
    params: { campaignId: ours.forReviews },
    body: {
      reviewPlatform: 'City Guide',
      reviewUrl: 'https://guide.example/oats',
      tone: 'friendly',
      stepCount: 2,
      channel: 'email',
    },
  }),
  'tenant.campaigns.send_review_requests': ({ ours }) => ({
    params: { campaignId: ours.forReviews },
    body: { step: 1 },
  }),
  'dm.campaigns.send': ({ ours }) => ({ params: { campaignId: ours.withOutreach } }),
  'forms.unsubscribe_page': ({ ours }) => ({ params: { linkKey: linkKeyOf(ours.tenantId) } }),
  'forms.unsubscribe': ({ ours }) => ({ params: { linkKey: linkKeyOf(ours.tenantId) } }),
  'tenant.campaigns.sync_terms': () => ({ body: { from: '2026-04-01', to: '2026-04-09' } }),
  'tenant.campaigns.create': () => ({
    body: { name: 'Autumn', type: 'paid_ads', channel: ['search_ads'], goal: 'leads', budget: 250.5 },
  }),
  'tenant.campaigns.change': () => ({ body: { name: 'Winter', autoPilotEnabled: true } }),
  'tenant.campaigns.status': () => ({ body: { status: 'paused', note: 'Until May' } }),
  'tenant.campaigns.generate_brief': ({ ours }) => ({
    params: { campaignId: ours.inPreparation },
    body: { targetAudienceDescription: 'People who bake at home' },
  }),
  'tenant.campaigns.generate_audience': ({ ours }) => ({ params: { campaignId: ours.inPreparation } }),
  'tenant.campaigns.add_content': () => ({
    body: { deliverableType: 'ad_copy', inputPayload: { topic: 'Rye at night' } },
  }),
  'tenant.campaigns.change_audience': ({ ours }) => ({
    ...segmentOf(ours),
    body: { name: 'Night owls', filters: { city: 'Berlin' } },
  }),
  'tenant.campaigns.remove_audience': ({ ours }) => segmentOf(ours),
  'tenant.campaigns.approve': ({ ours }) => ({
    params: { campaignId: ours.forClient },
    body: { approved: true, note: 'Go on' },
  }),
}
