import type { Client } from '@copydesk/client'
import { password, type TestApp } from './app.ts'
import { configure } from './seeded-settings.ts'
import { type Tenant } from './seeded-work.ts'

/** A customer as an operator takes one on. */
export const newCustomer = {
  displayName: 'Customer',
  firstName: 'Carl',
  lastName: 'Customer',
  email: 'carl@customer.example',
  password,
  customPlanName: 'Own plan',
  customRegionId: 'US',
  customPrice: 1_000,
  customCycle: 'monthly',
} as const

/** What operators have set up: a customer, suspended people and companies, models, templates, skills and keys. */
export async function seedOperation(
  app: TestApp,
  operator: Client,
  tenants: { ours: Tenant; spare: Tenant; shut: Tenant; leavers: Tenant; superAdminId: string },
) {
  const { ours, spare, shut, leavers, superAdminId } = tenants
  const customer = await operator.call('admin', 'POST /tenants', { body: newCustomer })
  await operator.call('admin', 'POST /tenants/:tenantId/billing/override', {
    params: { tenantId: customer.tenantId },
    body: { action: 'mark_paid', reason: 'A test' },
  })
  const reason = { body: { reason: 'A test' } }
  await operator.call('admin', 'POST /tenants/:tenantId/suspend', {
    params: { tenantId: shut.tenantId },
    ...reason,
  })
  await operator.call('admin', 'POST /users/:userId/suspend', {
    params: { userId: leavers.adminId },
    ...reason,
  })
  const { apiKeys, providers } = app.copydesk.asSystem()
  const { id: modelProvider } = await providers.create({
    name: 'Shelf',
    type: 'local',
    baseUrl: 'http://127.0.0.1:9/v1',
    models: [{ id: 'shelf-1', name: 'Shelf 1', availableOnPlans: ['pro'] }],
  })
  const templates = await operator.call('admin', 'GET /activity-templates')
  const emails = await operator.call('admin', 'GET /email-templates')
  const emailTemplate = emails.data.find(({ slug }) => slug === 'report')?.id ?? ''
  await operator.call('admin', 'PATCH /email-templates/:templateId', {
    params: { templateId: emailTemplate },
    body: { subject: 'Your report' },
  })
  const recurring = await app.copydesk.asSystem().recurring.create({
    title: 'Weekly report',
    agentRole: 'analyst',
    cron: '0 9 * * 1',
    promptTemplate: 'Report to {{company}}',
    applyToTenants: 'specific',
    tenantIds: [spare.tenantId],
  })
  const { key: apiKey } = await apiKeys.create({ userId: superAdminId, name: 'Terminal' })
  const globalSkill = await configure(operator)
  const { key: ownKey } = await apiKeys.create({ userId: ours.adminId, name: 'Runtime' })
  const { id: spareKey } = await apiKeys.create({ userId: spare.adminId, name: 'Old key' })
  return {
    customer,
    activityTemplate: templates.data[0]?.id ?? '',
    recurringTemplate: recurring.id,
    emailTemplate,
    apiKey,
    ownKey,
    spareKey,
    modelProvider,
    globalSkill,
  }
}
