import type { InputExamples } from './input.ts'
import { seededLimit } from './seeded-ads.ts'
import { newCustomer } from './seeded-operation.ts'

/** Inputs of endpoints of operators. */
export const operatorExamples: InputExamples = {
  'admin.agent_configs.change': () => ({
    body: { defaultConcurrency: 3, adapterConfig: { promptTemplate: 'You write for {{company}}.' } },
  }),
  'admin.agent_configs.push': () => ({
    body: { scope: 'all_tenants', fields: ['defaultConcurrency'], overrideCustom: true },
  }),
  'admin.ad_limits.set': ({ ours }) => ({
    params: { tenantId: ours.tenantId },
    body: seededLimit,
  }),
  'admin.skills.create': () => ({
    body: { name: 'Headlines', description: 'Read it for ads.', agentRoles: 'ads_writer' },
  }),
  'admin.skills.change': () => ({ body: { name: 'Tone', content: 'Warm.' } }),
  'admin.activity_templates.change': () => ({ body: { name: 'Another name' } }),
  'admin.activity_templates.create': () => ({
    body: {
      name: 'In one step',
      deliverableType: 'social_post',
      steps: [{ stepNumber: 1, title: 'Draft', agentRole: 'social_writer', type: 'draft' }],
    },
  }),
  'admin.recurring_templates.create': () => ({
    body: {
      title: 'Daily',
      agentRole: 'analyst',
      cron: '@daily',
      promptTemplate: 'Report to {{company}}',
      applyToTenants: 'plan_based',
      planIds: ['pro'],
    },
  }),
  'admin.email_templates.create': () => ({
    body: {
      name: 'Welcome',
      slug: 'welcome',
      subject: 'Welcome, {{ name }}',
      bodyHtml: '<p>Hello {{ name }}</p>',
      bodyText: 'Hello {{ name }}',
      variables: [{ key: 'name', description: 'The reader', required: true }],
      category: 'custom',
      sendVia: 'smtp',
    },
  }),
  'admin.email_templates.change': () => ({ body: { subject: 'A report', isActive: false } }),
  'admin.email_templates.preview': () => ({
    body: {
      to: 'olga@test.example',
      sampleVariables: {
        tenant: 'Bakery',
        title: 'May',
        from: '2026-05-01',
        until: '2026-05-31',
        sender: 'Olga',
      },
    },
  }),
  'admin.recurring_templates.change': () => ({ body: { status: 'paused' } }),
  'admin.api_keys.create': ({ spare }) => ({ body: { userId: spare.adminId, name: 'Robot' } }),
  'admin.llm_providers.create': () => ({
    body: {
      name: 'Another shelf',
      type: 'local',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: [{ id: 'llama3', name: 'Llama 3', availableOnPlans: ['pro'] }],
    },
  }),
  'admin.llm_providers.change': ({ modelProvider }) => ({
    params: { providerId: modelProvider },
    body: { status: 'disabled' },
  }),
  'admin.llm_providers.remove': ({ modelProvider }) => ({ params: { providerId: modelProvider } }),
  'admin.api_keys.revoke': ({ spareKey }) => ({ params: { id: spareKey } }),
  'admin.tenants.activate': ({ customer }) => ({ params: { tenantId: customer.tenantId } }),
  'admin.tenants.create': () => ({ body: { ...newCustomer, email: 'new@customer.example' } }),
  'admin.tenants.reinstate': ({ shut }) => ({ params: { tenantId: shut.tenantId } }),
  'admin.users.reinstate': ({ leavers }) => ({ params: { userId: leavers.adminId } }),
  'admin.blog_requests.change': ({ ours }) => ({
    params: { requestId: ours.ids['content_requests']?.[0] ?? '' },
    body: { status: 'approved', notes: 'Go on' },
  }),
}
