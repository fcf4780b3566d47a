import { type Client, createClient } from '@copydesk/client'
import type { TestApp } from './app.ts'

/** A client that shows an API key of someone. */
export async function keyClient(
  app: TestApp,
  userId: string,
  more: { tenantIds?: string[] } = {},
): Promise<Client> {
  const { key } = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'Runtime', ...more })
  return createClient({
    baseUrl: 'http://copydesk.test',
    apiKey: key,
    fetch: (url, init) => app.copydesk.fetch(new Request(url, init)),
  })
}
