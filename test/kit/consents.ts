import type { TestApp } from './app.ts'
import { type OAuthServer, redirectUrl } from './oauth-server.ts'

/** Types whose consent a test gives at this server. */
type ConsentType = 'search_ads' | 'social_ads' | 'professional_network' | 'cms_site'

/** Begins to connect a channel as someone who is logged in. */
export function beginConnect(app: TestApp, token: string, platform: ConsentType = 'search_ads') {
  const body = { redirectUrl }
  return app
    .clientFor(token)
    .call('dashboard', 'POST /channels/:platform/connect', { params: { platform }, body })
}

/** Takes a person back from a provider. @returns where Copydesk sends the person, or how it refuses */
export async function comeBack(app: TestApp, { pathname, search }: URL) {
  const response = await app.fetch(pathname + search)
  const location = response.headers.get('location')
  const text = await response.text()
  return {
    status: response.status,
    location: location === null ? undefined : new URL(location),
    error: text === '' ? undefined : (JSON.parse(text) as { error: { code: string; field?: string } }).error,
  }
}

/** Starts something twice or more while a row is held that each has to lock, so that they meet there. */
export async function meeting<T>(app: TestApp, hold: string, start: () => Promise<T>[]): Promise<T[]> {
  const waits = `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const { started } = await app.db.write(async (tx) => {
    await tx.run(hold)
    const all = start()
    // SQLite lets one at a time write, so they wait before they have looked.
    if (app.db.dialect === 'postgresql')
      await app.until(
        async () => Number((await app.db.sql.get<{ n: number }>(waits))?.n) === all.length,
        'all of them wait',
      )
    return { started: all }
  })
  return Promise.all(started)
}

/** Connects a channel from beginning to end. @returns where the person ends up, and the state */
export async function connectChannel(
  app: TestApp,
  provider: OAuthServer,
  token: string,
  platform: ConsentType = 'search_ads',
) {
  const { authUrl, state } = await beginConnect(app, token, platform)
  const callback = await provider.consent(authUrl)
  return { ...(await comeBack(app, callback)), state, callback }
}
