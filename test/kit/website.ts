import { openPress, type Press } from './publishing.ts'
import { createWordPressServer, type WordPressServer } from './wordpress-server.ts'

/** A tenant whose website is connected. */
export interface ConnectedWebsite extends AsyncDisposable {
  press: Press
  site: WordPressServer
  channelId: string
  /** Forgets what the site was asked, and what was to go wrong. */
  forget(): void
}

export async function openWebsite(): Promise<ConnectedWebsite> {
  const site = await createWordPressServer()
  const press = await openPress()
  const channelId = await press.connect(site)
  return {
    press,
    site,
    channelId,
    forget() {
      site.mishaps.splice(0)
      site.requests.splice(0)
      site.gate = () => undefined
    },
    async [Symbol.asyncDispose]() {
      await press[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}
