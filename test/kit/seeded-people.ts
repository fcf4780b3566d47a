import { randomUUID } from 'node:crypto'
import type { Client } from '@copydesk/client'
import { password, type Team, type TestApp } from './app.ts'

/** Registrations that have come to the last step. @returns their ids */
export async function register(app: TestApp): Promise<string[]> {
  const ids: string[] = []
  for (let n = 1; n <= 3; n += 1) {
    const call = app.clientFor()
    const { sessionToken } = await call.call('auth', 'POST /register/start', {
      body: {
        firstName: 'Vera',
        lastName: 'Visitor',
        email: `vera.${n}@test.example`,
        phone: '+49 30 1234567',
        password,
        country: 'DE',
      },
    })
    const visitor = app.clientFor(sessionToken)
    await visitor.call('auth', 'POST /register/step/2', {
      body: {
        companyName: `Visitors ${n}`,
        website: 'https://visitors.example.com',
        industry: 'Bakery',
        companySize: '1-10',
        businessType: 'agency',
      },
    })
    await visitor.call('auth', 'POST /register/step/3', { body: { state: 'BE', timezone: 'Europe/Berlin' } })
    ids.push(claimsIn<{ sub: string }>(sessionToken).sub)
  }
  return ids
}

/** What a token says, anyone who signed it. */
export function claimsIn<T>(token: string): T {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as T
}

/** A phone of someone, which says of itself what it is told to. @returns its id */
export async function registerDevice(client: Client, appVersion: string): Promise<string> {
  const deviceId = randomUUID()
  const body = { deviceId, pushToken: `token-of-${deviceId}`, platform: 'ios' as const, appVersion }
  await client.call('mobile', 'POST /push/devices', { body })
  return deviceId
}

/** What an assistant wants to do, as it is asked for. */
export const wantedAct = {
  operation: 'pause',
  line: '/pause social_writer',
  touches: 'social_writer · idle',
  actHash: 'c0ffee'.padEnd(64, '0'),
}

/** Something that an assistant of the reviewer's wants to do; no one has answered yet, and it does not expire. @returns its id */
export async function askForConsent(app: TestApp, { reviewer }: Team, word: string): Promise<string> {
  const body = { ...wantedAct, line: `/pause social_writer --reason ${word}` }
  const { id } = await reviewer.call('cli', 'POST /consents', { body })
  const late = new Date(Date.UTC(2100, 0, 1))
  await app.db.write((tx) => tx.run('update consents set expires_at = ? where id = ?', [late, id]))
  return id
}
