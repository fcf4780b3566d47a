import { describe, expect, it } from 'vitest'
import { brief, encryptionKeys, signingKeys } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createAgentHarness } from '../kit/runtime.ts'

const newer = { id: 'k2', key: Buffer.alloc(32, 8).toString('base64') }

describe('reencrypt', () => {
  it('re-encrypts every secret with the current key; then the old one can be retired', async () => {
    await using harness = await createAgentHarness()
    const { app, team } = harness
    const headers = {
      authorization: `Bearer ${team.adminToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    }
    const create = () =>
      app.fetch('/dashboard/v1/campaigns', {
        method: 'POST',
        headers,
        body: JSON.stringify({
          name: 'Spring',
          brief,
          deliverables: [{ type: 'social_post', quantity: 1 }],
        }),
      })
    const first = await (await create()).text()
    const { keys } = app.copydesk
    const before = await keys.inUse()
    expect(Object.keys(before)).toEqual(['k1'])
    expect(before['k1']).toBeGreaterThan(2)

    keys.replace({ encryptionKeys: [newer, ...encryptionKeys], signingKeys })
    expect(await keys.reencrypt()).toBe(before['k1'])
    expect(await keys.reencrypt()).toBe(0)
    expect(await keys.inUse()).toEqual({ k2: before['k1'] })

    keys.replace({ encryptionKeys: [newer], signingKeys })
    expect(await (await create()).text()).toBe(first)
    // The webhook's own secret is opened for the next dispatch.
    const { dispatch } = await harness.next()
    expect(dispatch.headers['x-runtime-key']).toBe('the secret')
  })
})

describe('an unknown key', () => {
  it('is looked up at most once a second, however many tokens name it', async () => {
    const clock = createTestClock()
    let asked = 0
    const added = { id: 's2', secret: 'another secret that is long enough to sign with' }
    await using harness = await createAgentHarness({
      clock,
      reloadKeys: () => {
        asked += 1
        return { encryptionKeys, signingKeys: [...signingKeys, added] }
      },
    })
    const { app, team } = harness
    const [, payload] = team.adminToken.split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT', kid: 'nobody' })).toString(
      'base64url',
    )
    const forged = `${header}.${payload}.${'A'.repeat(43)}`
    const call = () => app.fetch('/auth/v1/me', { headers: { authorization: `Bearer ${forged}` } })
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await call()).status))
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(asked).toBe(1)
    clock.advance(1_000)
    await call()
    expect(asked).toBe(2)
  })
})
