import { accountKey } from '../../packages/core/src/domain/delivery/publishing/account-key.ts'
import type { InputExamples } from './input.ts'
import { redirectUrl } from './oauth-server.ts'
import type { SeededTenant } from './seeded-tenant.ts'

const websiteOf = (ids: SeededTenant['ids']) => ids['channel_connections']?.at(-1) ?? ''

/** Inputs of channels and publications that schemas and names alone do not lead to. */
export const publishingExamples: InputExamples = {
  'dashboard.channels.connect': () => ({ params: { platform: 'search_ads' }, body: { redirectUrl } }),
  'mobile.channels.connect': () => ({ params: { platform: 'search_ads' }, body: { redirectUrl } }),
  'dashboard.integrations.credentials': ({ website: { url, login } }) => ({
    params: { platform: 'cms_site' },
    body: { server: url, ...login },
  }),
  'dashboard.channels.accounts': ({ ours }) => ({ params: { channelId: websiteOf(ours.ids) } }),
  'dashboard.channels.choose_account': ({ ours }) => ({
    params: { channelId: websiteOf(ours.ids) },
    body: { account: accountKey({ site: '55' }) },
  }),
  'dashboard.publications.previews': ({ ours }) => ({ params: { activityId: ours.approved } }),
  'dashboard.mailings.create': ({ ours }) => ({ body: { activityId: ours.newsletter } }),
  'dashboard.mailings.resume': ({ ours }) => ({ params: { mailingId: ours.mailings[1] ?? '' } }),
  'dashboard.mailings.test': ({ ours }) => ({ params: { activityId: ours.newsletter } }),
  'dashboard.publications.set_slots': () => ({ body: { days: [1, 3, 5], times: ['09:00', '16:30'] } }),
  'dashboard.publications.set_link_tags': () => ({ body: { hosts: ['oats.example'] } }),
  'dashboard.publications.create': ({ ours }) => ({
    body: { activityId: ours.approved, channelId: websiteOf(ours.ids) },
  }),
  'dashboard.publications.update': ({ ours }) => ({
    params: { publicationId: ours.ids['publications']?.[4] ?? '' },
  }),
  'dashboard.publications.drop_change': ({ ours }) => ({
    params: { publicationId: ours.ids['publications']?.[4] ?? '' },
  }),
  'dashboard.publications.reconcile': ({ ours }) => ({
    params: { publicationId: ours.ids['publications']?.[2] ?? '' },
    body: { outcome: 'published', url: 'https://oats.example/rye' },
  }),
}
