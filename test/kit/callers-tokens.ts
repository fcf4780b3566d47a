import { createHmac } from 'node:crypto'
import type { EndpointInfo } from '@copydesk/core'
import { signingKeys } from './app.ts'
import {
  byRule,
  type Caller,
  claimsOf,
  everyApp,
  expired,
  forbidden,
  type Person,
  plain,
  ruleOf,
  takes,
  token,
} from './callers.ts'
import { createTestClock } from './clock.ts'
import type { SeededInstance } from './seeded-instance.ts'
import { createTestTokens } from './test-tokens.ts'

const roles: readonly Person[] = ['admin', 'member', 'reviewer', 'super_admin']
const reads = (info: EndpointInfo) => info.method === 'GET'
const unhashed = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const kid = signingKeys[0]?.id
const secret = signingKeys[0]?.secret ?? ''
const signed = (header: object, claims: object, by = secret) => {
  const text = `${unhashed(header)}.${unhashed(claims)}`
  return `${text}.${createHmac('sha256', by).update(text).digest('base64url')}`
}

/** Callers who show a token: of every kind, right and wrong. */
export function tokenCallers(instance: SeededInstance): Caller[] {
  const { tokens, clock, ours, theirs, superAdmin, registrations } = instance
  const past = createTestTokens({ signingKeys, clock: createTestClock(clock.now() - 3_600_000) })
  const isJwt = (info: EndpointInfo) => takes(info, 'jwt')
  const isTask = (info: EndpointInfo) => takes(info, 'task')
  const isVisitor = (info: EndpointInfo) => takes(info, 'registration')
  const never = () => false
  const claims = () => claimsOf(instance, 'admin')
  const times = { iat: Math.floor(clock.now() / 1000), exp: Math.floor(clock.now() / 1000) + 900 }
  const access = () => ({ ...claims(), aud: 'access', ...times })
  const ownHeader = { alg: 'HS256', typ: 'JWT', kid }
  const run = ours.atWork[0]?.taskId ?? ''
  const observer = () => ({ sub: superAdmin.id, tenantId: ours.tenantId, sid: superAdmin.sessionId })
  const observed = (info: EndpointInfo) =>
    reads(info) && ruleOf(info)?.apps.includes('dashboard') ? byRule(info, 'admin', ['dashboard']) : forbidden
  return [
    { name: 'nobody', shows: () => undefined, refusal: () => plain },
    { name: 'an empty header', shows: () => '', refusal: () => plain },
    { name: 'another scheme', shows: () => `Basic ${btoa('admin:admin')}`, refusal: () => plain },
    { name: 'a scheme without a token', shows: () => 'Bearer', refusal: () => plain },
    { name: 'a bare token', shows: () => tokens.sign('access', claims()), refusal: () => plain },
    token(
      'garbage',
      () => 'garbage',
      never,
      () => undefined,
    ),
    token(
      'alg: none',
      () => `${unhashed({ alg: 'none' })}.${unhashed(access())}.`,
      never,
      () => undefined,
    ),
    token(
      'alg: none with our header',
      () => `${unhashed({ ...ownHeader, alg: 'none' })}.${unhashed(access())}.${'A'.repeat(43)}`,
      never,
      () => undefined,
    ),
    token(
      'RS256 signed with our secret',
      () => signed({ ...ownHeader, alg: 'RS256' }, access()),
      never,
      () => undefined,
    ),
    token(
      'a foreign signature',
      () => signed(ownHeader, access(), 'x'.repeat(40)),
      never,
      () => undefined,
    ),
    token(
      'the token of a key that is gone',
      () => signed({ ...ownHeader, kid: 's0' }, access()),
      never,
      () => undefined,
    ),
    token(
      'an access token too old',
      () => past.sign('access', claims()),
      isJwt,
      () => expired,
    ),
    token(
      'an impersonation too old',
      () => past.sign('impersonation', observer()),
      isJwt,
      () => expired,
    ),
    token(
      'a task token too old',
      () => past.sign('task', { sub: run, attempt: 1, exp: times.iat - 1 }),
      isTask,
      () => expired,
    ),
    token(
      'a registration token too old',
      () => past.sign('registration', { sub: registrations[0] ?? '' }),
      isVisitor,
      () => expired,
    ),
    token(
      'a reset token',
      () => tokens.sign('reset', { sub: claims().sub, jti: run }),
      never,
      () => undefined,
    ),
    token(
      'a registration token',
      () => tokens.sign('registration', { sub: registrations[0] ?? '' }),
      isVisitor,
      () => undefined,
    ),
    token(
      'a task token',
      () => tokens.sign('task', { sub: run, attempt: 1, exp: times.exp }),
      isTask,
      () => undefined,
    ),
    token(
      "another run's task token",
      () => tokens.sign('task', { sub: ours.atWork[1]?.taskId ?? '', attempt: 1, exp: times.exp }),
      isTask,
      (info) => (info.path.includes(':runId') ? plain : undefined),
    ),
    token(
      "a foreign tenant's task token",
      () => tokens.sign('task', { sub: theirs.atWork[0]?.taskId ?? '', attempt: 1, exp: times.exp }),
      isTask,
      (info) => (info.path.includes(':runId') ? plain : undefined),
    ),
    token('an impersonation token', () => tokens.sign('impersonation', observer()), isJwt, observed),
    token(
      'an impersonation of a session that never was',
      () => tokens.sign('impersonation', { ...observer(), sid: run }),
      isJwt,
      () => plain,
    ),
    token(
      'an impersonation by an admin',
      () => tokens.sign('impersonation', { ...observer(), sub: ours.adminId }),
      isJwt,
      () => plain,
    ),
    token(
      'someone of a tenant that is not there',
      () => tokens.sign('access', { ...claims(), tenantId: run }),
      isJwt,
      () => '401 TENANT_NOT_FOUND Bearer',
    ),
    ...roles.flatMap((role) => [
      token(
        `a ${role} with every app`,
        () => tokens.sign('access', claimsOf(instance, role)),
        isJwt,
        (info) => byRule(info, role, everyApp),
      ),
      ...everyApp.map((app) =>
        token(
          `a ${role} with ${app} only`,
          () => tokens.sign('access', claimsOf(instance, role, [app])),
          isJwt,
          (info) => byRule(info, role, [app]),
        ),
      ),
      token(
        `a ${role} without an app`,
        () => tokens.sign('access', claimsOf(instance, role, [])),
        isJwt,
        (info) => byRule(info, role, []),
      ),
    ]),
  ]
}
