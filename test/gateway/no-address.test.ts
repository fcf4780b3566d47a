import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { endpoint } from '../../packages/core/src/gateway/endpoint.ts'
import { createRig, publicAccess } from './rig.ts'

const body = z.object({ email: z.string() })
const open = endpoint({
  id: 'd.open',
  route: 'GET /open',
  summary: 'Open',
  access: publicAccess,
  reply: { 204: z.void() },
}).handle(async () => {})
const login = endpoint({
  id: 'd.login',
  route: 'POST /login',
  summary: 'Login',
  access: publicAccess,
  body,
  reply: { 204: z.void() },
  limit: { requests: 2, perSeconds: 900, by: 'ip', field: 'email' },
}).handle(async () => {})
const forgot = endpoint({
  id: 'd.forgot',
  route: 'POST /forgot',
  summary: 'Forgot',
  access: publicAccess,
  body,
  reply: { 204: z.void() },
  limit: { requests: 2, perSeconds: 900, by: 'ip', fieldWithoutAddress: 'email' },
}).handle(async () => {})

const limits = { perMinute: 3, burst: 0, by: 'ip' } as const
/** A host that hands requests to `fetch` and says nothing of their callers. */
function createHost() {
  const { gateway, lines } = createRig([open, login, forgot], { surface: { limits } })
  const ask = async (path: string, email?: string) => {
    const given = email === undefined ? undefined : JSON.stringify({ email })
    const request = new Request(`http://host.test/dashboard/v1${path}`, {
      method: given === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.0.${Math.random()}` },
      ...(given !== undefined && { body: given }),
    })
    return (await gateway.fetch(request)).status
  }
  return { ask, lines, gateway }
}

describe('a host that does not pass the address of callers', () => {
  it('is logged once, with the remedy', async () => {
    const { ask, lines, gateway } = createHost()
    await gateway.fetch(new Request('http://host.test/dashboard/v1/open'), { ip: '203.0.113.9' })
    const warnings = () => lines.filter(({ level }) => level === 'warn')
    expect(warnings()).toEqual([])
    for (let i = 0; i < 5; i += 1) await ask('/open')
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]?.message).toContain('fetch(request, { ip })')
  })

  it('shares a limit twenty times as high, of which one caller cannot use up everything', async () => {
    const { ask } = createHost()
    const statuses = []
    for (let i = 0; i < 61; i += 1) statuses.push(await ask('/open'))
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 204), 429])
  })

  it('counts login attempts and password resets for each e-mail address separately', async () => {
    const { ask } = createHost()
    for (const path of ['/login', '/forgot']) {
      const ofOne = [await ask(path, 'one@x'), await ask(path, 'One@x'), await ask(path, 'one@x')]
      expect(ofOne, path).toEqual([204, 204, 429])
      expect(await ask(path, 'two@x'), path).toBe(204)
    }
  })

  it('does not count by e-mail address when the client address is known', async () => {
    const { gateway } = createHost()
    const forgotten = (ip: string) =>
      gateway.fetch(
        new Request('http://host.test/dashboard/v1/forgot', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"email":"one@x"}',
        }),
        { ip },
      )
    for (let i = 0; i < 6; i += 1) expect((await forgotten(`203.0.113.${i}`)).status).toBe(204)
  })
})
