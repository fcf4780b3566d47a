import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'

type Status = 'draft' | 'dm_review' | 'client_review' | 'active' | 'paused' | 'archived'

/** A campaign as the paths of its endpoints name it. */
export interface Place {
  campaignId: string
}

/** Whom the briefs of these campaigns are for. */
export const audience = 'Families in Bristol who buy bread for the week'

export const unprocessable = { status: 422, code: 'UNPROCESSABLE', field: undefined }

/** A tenant that has described itself, whose agents work, and what its people do with campaigns. */
export interface CampaignWork extends AsyncDisposable, ReturnType<typeof actsOn> {
  app: TestApp
  team: Team
}

export async function createCampaignWork(): Promise<CampaignWork> {
  await using stack = new AsyncDisposableStack()
  const app = stack.use(await createTestApp())
  const team = await app.team()
  await team.admin.call('tenant', 'PUT /context', {
    body: {
      company: { name: 'Hearth & Oat', description: 'Hearth & Oat bakes rye bread in Bristol.' },
      products: [{ name: 'Night loaf', description: 'Rye bread that is baked at night' }],
      audiences: [{ name: 'Cafés', description: 'They order before noon.' }],
      voice: 'Warm and plain',
      bannedPhrases: ['best ever'],
    },
  })
  const owned = stack.move()
  return { app, team, ...actsOn(app, team), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** What the people of a team do with its campaigns. */
export function actsOn(app: TestApp, { admin, member, reviewer }: Team) {
  const get = (params: Place) => member.call('tenant', 'GET /campaigns/:campaignId', { params })
  const contentOf = async (params: Place) =>
    (await member.call('tenant', 'GET /campaigns/:campaignId/content', { params, query: {} })).data
  return {
    async create(body: object = {}): Promise<Place> {
      const { id: campaignId } = await member.call('tenant', 'POST /campaigns', {
        body: {
          name: 'Rye at night',
          type: 'paid_ads',
          channel: ['search_ads'],
          goal: 'more orders',
          ...body,
        },
      })
      return { campaignId }
    },
    get,
    contentOf,
    writeBrief: (params: Place) =>
      member.call('tenant', 'POST /campaigns/:campaignId/generate-brief', {
        params,
        body: { targetAudienceDescription: audience },
      }),
    findAudience: (params: Place) =>
      member.call('tenant', 'POST /campaigns/:campaignId/generate-audience', { params }),
    set: (params: Place, status: Status) =>
      admin.call('tenant', 'PATCH /campaigns/:campaignId/status', { params, body: { status } }),
    approve: (params: Place, approved = true) =>
      reviewer.call('tenant', 'POST /campaigns/:campaignId/approve', { params, body: { approved } }),
    addContent: (params: Place, inputPayload: object = {}) =>
      member.call('tenant', 'POST /campaigns/:campaignId/content', {
        params,
        body: { deliverableType: 'ad_copy' as const, inputPayload: { ...inputPayload } },
      }),
    segmentsOf: async (params: Place) =>
      (await reviewer.call('tenant', 'GET /campaigns/:campaignId/audience', { params })).data,
    reached: (params: Place, status: string) =>
      app.until(async () => {
        const campaign = await get(params)
        return campaign.status === status && campaign
      }, `the campaign is ${status}`),
    waiting: (params: Place) =>
      app.until(
        async () => (await contentOf(params)).find(({ status }) => status === 'awaiting_approval'),
        'a piece waits for a verdict',
      ),
  }
}
