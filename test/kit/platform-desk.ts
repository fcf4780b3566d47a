import { adsSettled } from './ads.ts'
import { createTestApp, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { connectChannel } from './consents.ts'
import { createOAuthServer } from './oauth-server.ts'

/** A server of a platform, as a desk of ads uses it. */
interface AdsServer extends AsyncDisposable {
  url: string
  accepts: (token: string) => boolean
}

/** Where ads run that are not those of searches, and the type of the channel that opens them. */
const doors = { social_ads: 'social_ads', professional_ads: 'professional_network' } as const

/** A team with a platform connected, and a clock that stands still. */
export interface PlatformDesk<S> extends AsyncDisposable {
  app: TestApp
  team: Team
  clock: TestClock
  /** The platform. */
  there: S
  channelId: string
  /** Resolves when no job of ads waits or runs, time moving on meanwhile. */
  settled(): Promise<void>
  /** What the platform has for an import. */
  list(): ReturnType<typeof listCampaigns>
  /** Takes one campaign over. @returns its id here */
  imported(externalCampaignId: string): Promise<string>
  /** Plans changes. */
  plan(
    campaignId: string,
    changes: readonly object[],
    platform?: string,
  ): Promise<Awaited<ReturnType<typeof planChanges>>>
  /** Approves a plan and waits for its end. @returns what has become of it */
  apply(set: { id: string; digest: string; campaignId: string }): ReturnType<typeof planChanges>
}

const listCampaigns = (
  { member }: Team,
  query: { channel: keyof typeof doors; connectedChannelId: string },
) => member.call('tenant', 'GET /campaigns/import', { query })

const planChanges = ({ member }: Team, campaignId: string, body: object) =>
  member.call('tenant', 'POST /campaigns/:campaignId/change-sets', {
    params: { campaignId },
    body: body as never,
  })

export async function openPlatformDesk<S extends AdsServer>(
  platform: keyof typeof doors,
  createServer: () => Promise<S>,
): Promise<PlatformDesk<S>> {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock()
  const provider = stack.use(await createOAuthServer())
  const there = stack.use(await createServer())
  there.accepts = provider.accepts
  provider.expiresIn = 365 * 86_400
  const channels = {
    ...provider.channels,
    [doors[platform]]: { ...provider.channels.cms_site, baseUrl: there.url },
  }
  const app = stack.use(await createTestApp({ clock, allowHosts: ['127.0.0.1'], channels }))
  const team = await app.team()
  await connectChannel(app, provider, team.adminToken, doors[platform])
  const { data } = await team.admin.call('dashboard', 'GET /channels')
  const channelId = data.find(({ type }) => type === doors[platform])?.id ?? ''
  const settled = () => adsSettled(app, clock)
  const owned = stack.move()
  return {
    app,
    team,
    clock,
    there,
    channelId,
    settled,
    list: () => listCampaigns(team, { channel: platform, connectedChannelId: channelId }),
    async imported(externalCampaignId) {
      const campaigns = [{ externalCampaignId, name: `Ours ${externalCampaignId}` }]
      const body = { connectedChannelId: channelId, platform, campaigns }
      const [one] = await team.member.call('tenant', 'POST /campaigns/import', { body })
      await settled()
      return one?.id ?? ''
    },
    plan: (campaignId, changes, where) =>
      planChanges(team, campaignId, { changes, ...(where !== undefined && { platform: where }) }),
    async apply({ id: changeSetId, digest, campaignId }) {
      const params = { campaignId, changeSetId }
      await team.admin.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve', {
        params,
        body: { digest },
      })
      await settled()
      return team.member.call('tenant', 'GET /campaigns/:campaignId/change-sets/:changeSetId', { params })
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
