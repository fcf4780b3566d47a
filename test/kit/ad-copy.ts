import { adminOf, type Team, type TestApp } from './app.ts'
import type { TestClock } from './clock.ts'

/** Ad copy in the form that its prompt asks for. */
export const adCopy = `# Rye at night

## Headlines

- Fresh rye bread
- Baked every night
- Order before noon

## Descriptions

1. Rye bread from our own oven, on your table in the morning.
2. Order before noon, and we bring it the next day.

## Landing page

Bread that was baked in the night before it comes.
`

export const adTexts = {
  headlines: ['Fresh rye bread', 'Baked every night', 'Order before noon'],
  descriptions: [
    'Rye bread from our own oven, on your table in the morning.',
    'Order before noon, and we bring it the next day.',
  ],
}

/**
 * Ad copy of a campaign that a person has approved as it is here.
 * @param clock of an instance whose time stands still
 * @returns its activity's id
 */
export async function approvedCopy(
  { app, team, clock }: { app: TestApp; team: Team; clock?: TestClock },
  params: { campaignId: string },
  text = adCopy,
): Promise<string> {
  const admin = app.copydesk.as(adminOf(team))
  const body = { deliverableType: 'ad_copy' as const, inputPayload: { topic: 'Rye at night' } }
  const { id } = await admin.call('tenant.campaigns.add_content', { params, body })
  const passing = <T>(probe: () => Promise<T | undefined | false>, what: string) =>
    app.until(async () => {
      const found = await probe()
      if (!found) clock?.advance(500)
      return found
    }, what)
  const query = { 'filter.status': 'pending' } as const
  const asked = await passing(
    async () =>
      (await admin.call('dashboard.approvals.list', { query })).data.find(({ linkedActivities }) =>
        linkedActivities.some((one) => one.id === id),
      ),
    'the ad copy waits for a verdict',
  )
  await admin.call('dashboard.approvals.resolve', {
    params: { approvalId: asked.id },
    body: { resolution: 'approved', edited: text },
  })
  const contents = async () => (await admin.call('tenant.campaigns.content', { params, query: {} })).data
  await passing(
    async () => (await contents()).find((one) => one.id === id && one.status === 'done'),
    'the ad copy is done',
  )
  return id
}
