import { createTestApp, type Team, type TestApp } from './app.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { connectChannel } from './consents.ts'
import { adsAccount, createGoogleAdsServer, type GoogleAdsServer } from './google-ads-server.ts'
import { createOAuthServer, type OAuthServer } from './oauth-server.ts'

/** A team whose channel of search ads is connected to an account with two campaigns, and a clock that stands still. */
export interface AdsDesk extends AsyncDisposable {
  app: TestApp
  team: Team
  clock: TestClock
  google: GoogleAdsServer
  provider: OAuthServer
  channelId: string
  /** Resolves when no job of ads waits or runs, time moving on meanwhile. */
  settled(): Promise<void>
  /** Takes the campaign over that has keywords. @returns its id here */
  imported(): Promise<string>
}

/** The account under a manager, as most agencies have it. */
export function fillAccount(google: GoogleAdsServer): void {
  google.accounts.set('1111111111', adsAccount('1111111111', { manager: true, currency: 'USD' }))
  const account = adsAccount('2222222222', { under: '1111111111' })
  google.accounts.set(account.id, account)
  account.budgets.set('71', { amountMicros: 20_000_000n, shared: false })
  account.budgets.set('72', { amountMicros: 5_000_000n, shared: true })
  account.campaigns.set('9007199254740993', {
    id: '9007199254740993',
    name: 'Bakery – search',
    status: 'ENABLED',
    budget: '71',
  })
  account.campaigns.set('32', { id: '32', name: 'Old offers', status: 'PAUSED', budget: '72' })
  account.campaigns.set('33', { id: '33', name: 'Gone', status: 'REMOVED', budget: '72' })
  const campaign = '9007199254740993'
  account.adGroups.set('51', { id: '51', campaign, name: 'Bread', status: 'ENABLED', bidMicros: 500_000n })
  const keyword = (id: string, text: string, matchType: string) =>
    account.criteria.set(`51~${id}`, {
      id,
      of: '51',
      text,
      matchType,
      negative: false,
      status: 'ENABLED',
      bidMicros: 1_000_000n,
      quality: 7,
    })
  keyword('601', 'rye bread', 'PHRASE')
  keyword('602', 'sourdough', 'EXACT')
  account.negatives.set(`${campaign}~701`, {
    id: '701',
    of: campaign,
    text: 'free',
    matchType: 'BROAD',
    negative: true,
    status: 'ENABLED',
  })
}

/** What seeded tenants have taken over, and a campaign that no one has. */
function addSeeded({ accounts }: GoogleAdsServer): void {
  const account = accounts.get('2222222222')
  if (!account) return
  account.budgets.set('76', { amountMicros: 20_000_000n, shared: false })
  for (const id of ['36', '37'])
    account.campaigns.set(id, { id, name: `Seeded ${id}`, status: 'ENABLED', budget: '76' })
  account.adGroups.set('56', {
    id: '56',
    campaign: '36',
    name: 'Rye',
    status: 'ENABLED',
    bidMicros: 500_000n,
  })
  const keyword = { text: 'rye', matchType: 'PHRASE', status: 'ENABLED' }
  account.criteria.set('56~656', { ...keyword, id: '656', of: '56', negative: false, bidMicros: 1_000_000n })
  account.negatives.set('36~756', { ...keyword, id: '756', of: '36', negative: true, text: 'free' })
}

/**
 * Google Ads with the accounts above, and the channels of a provider that opens them.
 * @param more `seeded`: with what `addAds` says that a tenant has
 */
export async function serveAds(provider: OAuthServer, more?: 'seeded') {
  const google = await createGoogleAdsServer()
  fillAccount(google)
  if (more) addSeeded(google)
  const search_ads = { ...provider.channels.search_ads, baseUrl: google.url }
  return { google, channels: { ...provider.channels, search_ads } }
}

/** Resolves when no job of ads waits or runs and no change set is under way, time moving on meanwhile. */
export async function adsSettled(app: TestApp, clock: TestClock): Promise<void> {
  // Jobs that look after a change set wait for the end of its lease: the set itself says whether it goes on.
  const open = `select (select count(*) from job where kind like 'ads.%' and kind <> 'ads.apply' and status in ('waiting', 'running'))
    + (select count(*) from ad_change_sets where next_at is not null) as n`
  await app.until(async () => {
    if (Number((await app.db.sql.get<{ n: number }>(open))?.n) === 0) return true
    clock.advance(1_000)
    return false
  }, 'everything is fetched')
}

/** Makes all change sets older than the time that steps are measured over; by the clock, people would have to log in again. */
export function ageChangeSets(app: TestApp, clock: TestClock): Promise<unknown> {
  const then = new Date(clock.now() - 2 * 86_400_000)
  return app.db.write((tx) =>
    tx.run('update ad_change_sets set applied_on = ?, updated_on = ?', [then, then]),
  )
}

export async function openAdsDesk(options: Parameters<typeof createTestApp>[0] = {}): Promise<AdsDesk> {
  await using stack = new AsyncDisposableStack()
  const clock = createTestClock()
  const provider = stack.use(await createOAuthServer())
  const { google, channels } = await serveAds(provider)
  stack.use(google)
  google.accepts = provider.accepts
  google.now = () => clock.now()
  provider.expiresIn = 365 * 86_400
  const search_ads = { ...channels.search_ads, developerToken: 'dev-token-1' }
  const app = stack.use(
    await createTestApp({
      clock,
      allowHosts: ['127.0.0.1'],
      channels: { ...channels, search_ads },
      ...options,
    }),
  )
  const team = await app.team()
  await connectChannel(app, provider, team.adminToken)
  const { data } = await team.admin.call('dashboard', 'GET /channels')
  const channelId = data[0]?.id ?? ''
  const owned = stack.move()
  const settled = () => adsSettled(app, clock)
  return {
    app,
    team,
    clock,
    google,
    provider,
    channelId,
    settled,
    async imported() {
      const [one] = await team.member.call('tenant', 'POST /campaigns/import', {
        body: {
          connectedChannelId: channelId,
          platform: 'search_ads',
          campaigns: [{ externalCampaignId: '9007199254740993', name: 'Bakery' }],
        },
      })
      await settled()
      return one?.id ?? ''
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
