import type { Ctx } from '../../../packages/core/src/kernel/context.ts'
import { password, type TestApp } from '../../kit/app.ts'

export const admin = 'admin.1.tenant-1@test.example'
export const member = 'member.1.tenant-1@test.example'

/** What an act on an account could leave behind, beside its audit record. */
export const traces = ['users', 'sessions', 'password_resets', 'invitations', 'event', 'job']

let callers = 0

export interface Answer {
  status: number
  headers: Headers
  text: string
  json: any
}

/** One request, from an address of its own unless one is given. */
export async function send(
  app: TestApp,
  route: string,
  { body, token, ip, key }: { body?: unknown; token?: string; ip?: string; key?: string } = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  callers += 1
  const response = await app.fetch(
    `/auth/v1${path}`,
    {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    { ip: ip ?? `10.3.${Math.floor(callers / 250)}.${callers % 250}` },
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

export const logIn = async (app: TestApp, email = admin, given = password, appName = 'dashboard') =>
  send(app, 'POST /login', { body: { email, password: given, app: appName } })

/** Logs in and gives the tokens. */
export async function session(app: TestApp, email = admin, given = password) {
  const { status, json } = await logIn(app, email, given)
  if (status !== 200) throw new Error(`the login of ${email} was answered with ${status}`)
  return json as { accessToken: string; refreshToken: string }
}

export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

/** A context in which something else happens while a password is hashed or checked. */
export function whileHashing(ctx: Ctx, act: () => Promise<unknown>): Ctx {
  const { passwords } = ctx.services
  const slow = {
    ...passwords,
    async hashPassword(text: string) {
      await act()
      return passwords.hashPassword(text)
    },
    async verifyPassword(stored: string | undefined, text: string) {
      const matches = await passwords.verifyPassword(stored, text)
      await act()
      return matches
    },
  }
  return { ...ctx, services: { ...ctx.services, passwords: slow } }
}

/** Audit records of one kind of act, without what differs from call to call. */
export const audits = (app: TestApp, action: string) =>
  app.db.sql.all<Record<string, unknown>>('select * from audit_records where action = ? order by id', [
    action,
  ])
