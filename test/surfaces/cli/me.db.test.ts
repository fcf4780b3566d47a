import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'

describe('cli.me', () => {
  it('returns the owner of a key or token', async () => {
    await using app = await createTestApp()
    const { reviewerId, reviewer, adminId } = await app.team()
    const keys = app.copydesk.asSystem().apiKeys
    const ask = async (userId: string) => {
      const { key } = await keys.create({ userId, name: 'Key' })
      return app.fetch('/cli/v1/me', { headers: { authorization: `ApiKey ${key}` } })
    }
    const profile = { id: reviewerId, name: 'Rita Reviewer', role: 'reviewer' }
    expect(await (await ask(reviewerId)).json()).toMatchObject(profile)
    expect(await reviewer.call('cli', 'GET /me')).toMatchObject(profile)
    expect((await ask(adminId)).status).toBe(403)
    expect((await app.fetch('/cli/v1/me')).status).toBe(401)
  })
})
