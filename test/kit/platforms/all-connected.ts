import type { CopydeskOptions } from '@copydesk/core'
import { comeBack } from '../consents.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../oauth-server.ts'
import { openPress, type Press } from '../publishing.ts'
import { type Platform, servePictures } from './frame.ts'
import { createPlatforms } from './platforms.ts'

/** A team with every platform connected, and an account chosen on each. */
export interface AllConnected extends AsyncDisposable {
  press: Press
  platforms: Platform[]
  provider: OAuthServer
  /** A place on the web from which pictures are fetched. */
  pictures: Awaited<ReturnType<typeof servePictures>>
  /** The ids of the channels by their type. */
  channels: ReadonlyMap<string, string>
  connect(platform: Platform): Promise<void>
  /** Chooses one of the accounts that a channel opens. @returns the names of all */
  choose(type: string, account: string): Promise<string[]>
}

export async function connectAll(more: Partial<CopydeskOptions> = {}): Promise<AllConnected> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await createOAuthServer())
  // Time is moved in great steps here, also while a token would be renewed: renewal.db.test.ts is about that.
  provider.expiresIn = undefined
  const pictures = stack.use(await servePictures())
  const platforms = (await createPlatforms()).map((platform) => stack.use(platform))
  const { redirectUrls = [], cms_site = {} } = provider.channels
  // Scopes are those that are built in.
  const { scopes: _, ...client } = cms_site
  const options = platforms.map(({ type, url, login }) => [
    type,
    { ...(login === 'consent' && client), baseUrl: url, uploadBaseUrl: url },
  ])
  const press = stack.use(
    await openPress({ channels: { redirectUrls, ...Object.fromEntries(options) }, ...more }),
  )
  const channels = new Map<string, string>()
  const connect: AllConnected['connect'] = async ({ type, login }) => {
    const params = { platform: type }
    if (login !== 'consent')
      return void (await press.admin.call('dashboard.integrations.credentials', { params, body: login }))
    const { authUrl } = await press.admin.call('dashboard.channels.connect', {
      params,
      body: { redirectUrl },
    })
    const { location } = await comeBack(press.app, await provider.consent(authUrl))
    if (location?.searchParams.get('status') !== 'connected') throw new Error(`${type} is not connected`)
  }
  const choose: AllConnected['choose'] = async (type, account) => {
    const params = { channelId: channels.get(type) ?? '' }
    const { data } = await press.admin.call('dashboard.channels.accounts', { params })
    const accountId = data.find(({ name }) => name === account)?.id ?? account
    await press.admin.call('dashboard.channels.choose_account', { params, body: { account: accountId } })
    return data.map(({ name }) => name)
  }
  for (const platform of platforms) {
    platform.now = () => press.clock.now()
    if (platform.login === 'consent')
      Object.assign(platform, { accepts: provider.accepts, grants: provider.grants })
    await connect(platform)
  }
  const { data } = await press.admin.call('dashboard.channels.list', {})
  for (const { type, id } of data) channels.set(type, id)
  for (const { type, account } of platforms) if (account !== undefined) await choose(type, account)
  const owned = stack.move()
  return {
    press,
    platforms,
    provider,
    pictures,
    channels,
    connect,
    choose,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
