import type { Client } from '@copydesk/client'
import { expect } from 'vitest'
import { contents } from '../domain/contents.ts'
import { password, type TestApp } from './app.ts'

export interface Answer {
  status: number
  code: string | undefined
  field: string | undefined
  // biome-ignore lint: whatever the server says
  json: any
  text: string
}

/** A super-admin who is logged in to the app `manage`. */
export interface Operator {
  id: string
  email: string
  token: string
  refreshToken: string
  client: Client
  /** Logs in again, after the clock was moved past the token's end. */
  renew(): Promise<void>
  /** Sends a request with this one's token, or another. */
  send(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
}

/** Sends one request and takes the answer apart. */
export async function sendTo(
  app: Pick<TestApp, 'fetch'>,
  method: string,
  path: string,
  { token, body, scheme = 'Bearer' }: { token?: string; body?: unknown; scheme?: string } = {},
): Promise<Answer> {
  const response = await app.fetch(path, {
    method,
    headers: {
      ...(token && { authorization: `${scheme} ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, code: json?.error?.code, field: json?.error?.field, json, text }
}

export async function createOperator(app: TestApp, email = 'olga@test.example'): Promise<Operator> {
  const user = await app.copydesk
    .asSystem()
    .users.create({ email, name: 'Olga Operator', password, role: 'super_admin' })
  const logIn = () =>
    app.clientFor().call('auth', 'POST /login', { body: { email, password, app: 'manage' } })
  const { accessToken: token, refreshToken } = await logIn()
  const operator: Operator = {
    id: user.id,
    email,
    token,
    refreshToken,
    client: app.clientFor(token),
    async renew() {
      operator.token = (await logIn()).accessToken
    },
    send: (method, path, body, other) => sendTo(app, method, path, { token: other ?? operator.token, body }),
  }
  return operator
}

/** What an operator's act could leave behind. */
export const operatorTables = [
  'tenants',
  'tenant_agents',
  'users',
  'sessions',
  'api_keys',
  'subscriptions',
  'invoices',
  'number_sequences',
  'tenant_profiles',
  'audit_records',
  'event',
  'job',
]

/** Asserts that an act is refused in the way that is said, and that nothing has changed by it. */
export async function expectRefused(
  app: TestApp,
  act: () => Promise<Answer>,
  wanted: Partial<Answer>,
): Promise<void> {
  const before = await contents(app, operatorTables)
  expect(await act()).toMatchObject(wanted)
  expect(await contents(app, operatorTables)).toEqual(before)
}
