import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { createInvoice } from '../billing/invoices/invoices.ts'
import { choosePlanById, customPlan, type PlanChoice } from '../billing/plans/plans.ts'
import { regionOf } from '../billing/plans/regions.ts'
import { openSubscription } from '../billing/subscriptions.ts'
import { addUser } from '../identity/add-user.ts'
import { hashNewPassword } from '../identity/new-password.ts'
import { Tenant } from './entities.ts'
import { saveProfile } from './profiles.ts'
import type { CustomerReceipt, NewCustomer } from './schemas.ts'
import { openTenant } from './tenants.ts'

/**
 * Takes a customer on: the tenant in `onboarding`, its first admin, its subscription and the first invoice. Nothing is billed
 * before it is activated. Serves `POST /admin/v1/tenants`.
 * @throws DomainError `VALIDATION_ERROR` without a plan, for one that does not exist, or for a password that is easily guessed; `CONFLICT` when the e-mail address or
 *   the domain is taken
 */
export async function onboardTenant(ctx: Ctx, input: NewCustomer): Promise<CustomerReceipt> {
  const plan = planOf(input)
  const { password, email: adminEmail, displayName: company, legalName } = input
  const passwordHash = await hashNewPassword(ctx, {
    password,
    email: adminEmail,
    companies: [company, legalName],
  })
  return transact(ctx, async (txn) => {
    const choice = await plan(txn)
    const { displayName, email, domain = null, timezone = 'UTC', phone = null, country = null } = input
    if (domain !== null && (await txn.em.findOne(Tenant, { domain })))
      throw new DomainError('CONFLICT', `The domain ${domain} is taken`, { field: 'domain' })
    const tenant = await openTenant(txn, {
      name: displayName,
      plan: choice.plan,
      timezone,
      domain,
      status: 'onboarding',
    })
    await saveProfile(txn, tenant.id, profileOf(input))
    const name = `${input.firstName} ${input.lastName}`
    const user = await addUser(txn, {
      email,
      name,
      passwordHash,
      role: 'admin',
      tenantId: tenant.id,
      mailboxProof: 'operator',
      phone,
      country,
    })
    const subscription = await openSubscription(txn, { tenantId: tenant.id, choice })
    const invoice = await createInvoice(txn, subscription)
    return {
      tenantId: tenant.id,
      tenantName: tenant.name,
      userId: user.id,
      email: user.email,
      invoiceId: invoice.id,
      invoiceNumber: invoice.number,
    }
  })
}

/** The plan that is named, of the two ways to name one. */
function planOf(input: NewCustomer): (txn: Transaction) => Promise<PlanChoice> {
  const { planId, customPlanName, customRegionId, customPrice, customCycle } = input
  const custom = { customPlanName, customRegionId, customPrice, customCycle }
  const missing = Object.entries(custom).filter(([, value]) => value === undefined)
  if (planId !== undefined) {
    if (missing.length < 4) throw invalid('planId', 'Give planId or a custom plan, not both')
    return (txn) => choosePlanById(txn, planId, regionOf(input.country ?? input.billingCountry))
  }
  if (missing.length === 4)
    throw invalid('planId', 'A plan is needed: planId, or the fields of a custom plan')
  const [first] = missing
  if (first) throw invalid(first[0], `A custom plan needs ${missing.map(([field]) => field).join(', ')}`)
  const choice = customPlan(custom as Parameters<typeof customPlan>[0])
  return async () => choice
}

const profileFields = [
  'legalName',
  'gstin',
  'tdsDeduction',
  'billingName',
  'billingAddress',
  'billingCity',
  'billingState',
  'billingCountry',
  'billingPostal',
  'phone',
  'country',
] as const

function profileOf(input: NewCustomer) {
  const given = profileFields.filter((field) => input[field] !== undefined)
  return Object.fromEntries(given.map((field) => [field, input[field]]))
}
