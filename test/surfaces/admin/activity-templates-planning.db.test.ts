import { describe, expect, it } from 'vitest'
import { createPlanningApp } from '../../domain/work/planning.ts'
import { createOperator } from '../../kit/operator.ts'

const path = '/admin/v1/activity-templates'

const step = (stepNumber: number, more: object = {}) => ({
  stepNumber,
  title: `Step ${stepNumber}`,
  agentRole: 'researcher',
  type: 'research',
  ...more,
})

const newTemplate = (more: object = {}) => ({
  name: 'Three steps',
  deliverableType: 'blog_post',
  steps: [
    step(1),
    step(2, { dependsOn: [1], estimatedCostUsd: 0.25 }),
    step(3, {
      agentRole: 'blog_writer',
      type: 'draft',
      dependsOn: [1, 2],
      approvalRequired: true,
      approvalType: 'content_review',
    }),
  ],
  ...more,
})

describe('a campaign', () => {
  it('is planned with the current default template, and keeps the version that it was planned with', async () => {
    await using app = await createPlanningApp('2026-04-10T09:00:00Z')
    const tenant = await app.tenantIn('Europe/London')
    const order = async (templateId?: string) => {
      const { id } = await (await tenant.logIn()).call('dashboard', 'POST /campaigns', {
        body: {
          name: 'Spring',
          brief: 'Oats',
          deliverables: [{ type: 'blog_post', quantity: 1, ...(templateId && { templateId }) }],
        },
      })
      await app.planned()
      return id
    }
    const steps = async (campaignId: string) =>
      (await app.activitiesOf(campaignId)).map(({ stepNumber }) => stepNumber)
    const operator = await createOperator(app)
    const first = await order()
    expect(await steps(first)).toEqual([1, 2])
    const { json } = await operator.send('POST', path, newTemplate({ setAsDefault: true }))
    const second = await order()
    const named = await order(json.id)
    expect([await steps(second), await steps(named)]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ])
    await operator.send('PATCH', `${path}/${json.id}`, { steps: [step(7)] })
    expect(await steps(await order())).toEqual([7])
    // A month later the next pieces of each are made as its first were.
    await app.goTo('2026-05-02T09:00:00Z')
    expect([await steps(first), await steps(second), await steps(named)]).toEqual([
      [1, 2, 1, 2],
      [1, 2, 3, 1, 2, 3],
      [1, 2, 3, 1, 2, 3],
    ])
  })
})
