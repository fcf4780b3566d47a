import { describe, expect, it } from 'vitest'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'

const admin = 'admin.1.tenant-1@test.example'

/** More than any server reads again when it starts. */
const many = 20_500

/** What a busy installation has written since, without the work of writing it. */
const eventsSince = (app: TestApp, at: Date) =>
  app.db.write((tx) =>
    tx.run(
      `insert into ${app.db.dialect === 'sqlite' ? 'event' : 'event_unnumbered'} (tenant_id, type, subject, data, at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ${many})
       select null, 'activity_progress', 'busy', '{}', ? from n`,
      [at],
    ),
  )

const logIn = async (app: TestApp) =>
  (
    await app.clientFor().call('auth', 'POST /login', {
      body: { email: admin, password, app: 'dashboard' },
    })
  ).accessToken

/** How a server answers a request with an access token. */
async function statusAt(server: Pick<TestApp['copydesk'], 'fetch'>, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await server.fetch(new Request('http://copydesk.test/auth/v1/me', { headers }))).status
}

describe('a server that starts with a revocation backlog', () => {
  it('rejects every access token that was revoked within its lifetime', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    const token = await logIn(app)
    await app.clientFor(token).call('auth', 'POST /logout')
    await app.copydesk.asSystem().users.suspend(team.reviewerId, 'Left')
    await eventsSince(app, clock.date())
    clock.advance(14 * 60_000)
    const later = await app.another()
    expect(await statusAt(later, token)).toBe(401)
    expect(await statusAt(later, team.reviewerToken)).toBe(401)
    expect(await statusAt(later, team.adminToken)).toBe(200)
  })

  it('accepts users who were reinstated since', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    const team = await app.team()
    const { users } = app.copydesk.asSystem()
    await users.suspend(team.reviewerId, 'A mistake')
    await users.reinstate(team.reviewerId)
    await eventsSince(app, clock.date())
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
      body: { email: 'reviewer.1.tenant-1@test.example', password, app: 'dm-portal' },
    })
    const later = await app.another()
    expect(await statusAt(later, accessToken)).toBe(200)
    expect(await statusAt(later, team.reviewerToken)).toBe(401)
  })
})
