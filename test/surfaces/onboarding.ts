import type { TestApp } from '../kit/app.ts'
import { type Operator, sendTo } from '../kit/operator.ts'

export const customer = {
  displayName: 'Hearth & Oat',
  firstName: 'Ada',
  lastName: 'Admin',
  email: 'Ada@Hearth.example',
  password: 'Correct-horse-1',
}

const planId = async (app: TestApp) => {
  const { json } = await sendTo(app, 'GET', '/auth/v1/plans?country=US')
  return json.find((offering: { name: string }) => offering.name === 'pro').id as string
}

/** Takes a customer on who pays for `pro`, unless `changes` say something else. */
export async function onboard(app: TestApp, operator: Operator, changes: object = {}) {
  const body = { ...customer, planId: await planId(app), ...changes }
  return operator.send('POST', '/admin/v1/tenants', body)
}

/** A tenant as its detail shows it. */
export const detail = async (operator: Operator, id: string) =>
  (await operator.send('GET', `/admin/v1/tenants/${id}`)).json

/** Says that a tenant has paid what it owes. */
export const markPaid = (operator: Operator, id: string) =>
  operator.send('POST', `/admin/v1/tenants/${id}/billing/override`, {
    action: 'mark_paid',
    reason: 'by bank',
  })
