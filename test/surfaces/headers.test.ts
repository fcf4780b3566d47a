import { describe, expect, it } from 'vitest'
import { createTestApp } from '../kit/app.ts'

const origin = 'https://app.example.com'
const seen = async (options: Parameters<typeof createTestApp>[0]) => {
  await using app = await createTestApp(options)
  const { headers } = await app.fetch('/health', { headers: { origin } })
  return [headers.get('strict-transport-security'), headers.get('access-control-allow-origin')]
}

describe('the headers of an instance', () => {
  it('depend on its base URL and its list of origins', async () => {
    expect(await seen({})).toEqual([null, null])
    expect(await seen({ baseUrl: 'https://desk.example.com', corsOrigins: [origin] })).toEqual([
      'max-age=31536000',
      origin,
    ])
  })

  it('are rejected when they cannot be meant for it', async () => {
    await expect(createTestApp({ corsOrigins: ['*'] })).rejects.toThrow('corsOrigins: "*" is no origin')
    await expect(createTestApp({ trustProxy: ['10.0.0'] })).rejects.toThrow('trustProxy: "10.0.0"')
  })
})
