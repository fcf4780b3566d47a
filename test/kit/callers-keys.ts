import type { EndpointInfo } from '@copydesk/core'
import type { App } from '../../packages/core/src/kernel/context.ts'
import { password } from './app.ts'
import { badKey, byRule, type Caller, claimsOf, key, type Person, plain, takes, token } from './callers.ts'
import type { SeededInstance } from './seeded-instance.ts'

/** Callers who have been shut out since their credential was made, and the keys of programs. */
export async function shutOutCallers(instance: SeededInstance): Promise<Caller[]> {
  const { app, tokens, shut, leavers, spare, superAdmin, clock } = instance
  const system = app.copydesk.asSystem()
  const isJwt = (info: EndpointInfo) => takes(info, 'jwt')
  const keyFor = async (userId: string, more: { expiresAt?: Date } = {}) =>
    system.apiKeys.create({ userId, name: 'Key', ...more })
  const working = await keyFor(superAdmin.id)
  const revoked = await keyFor(superAdmin.id)
  await system.apiKeys.revoke(revoked.id)
  const old = await keyFor(superAdmin.id, { expiresAt: new Date(clock.now() + 1_000) })
  clock.advance(1_000)
  const unknown = await keyFor(superAdmin.id)
  await app.db.write((tx) => tx.run('delete from api_keys where id = ?', [unknown.id]))
  const typo = working.key.slice(0, -1) + (working.key.endsWith('0') ? '1' : '0')
  const ofRole = async (role: Person, userId: string) => {
    const apps = await appsOf(instance, userId)
    return key(`the key of a ${role}`, (await keyFor(userId)).key, (info) => byRule(info, role, apps))
  }
  const people = [
    await ofRole('admin', instance.ours.adminId),
    await ofRole('reviewer', instance.ours.reviewerId),
    await ofRole('super_admin', superAdmin.id),
  ]
  const admin = (userId: string, tenantId: string) => () =>
    tokens.sign('access', { ...claimsOf(instance, 'admin'), sub: userId, tenantId })
  const gone = await keyFor(leavers.adminId)
  const closed = await keyFor(shut.adminId)
  const removed = await system.users.create({
    email: 'rob.removed@test.example',
    name: 'Rob Removed',
    password,
    role: 'super_admin',
  })
  const orphan = await keyFor(removed.id)
  await app.db.write((tx) => tx.run(`update users set status = 'deactivated' where id = ?`, [removed.id]))
  const left = admin(spare.adminId, spare.tenantId)()
  await app.clientFor(left).call('auth', 'POST /logout')
  return [
    token(
      'someone who has logged out',
      () => left,
      isJwt,
      () => plain,
    ),
    token('a suspended user', admin(leavers.adminId, leavers.tenantId), isJwt, () => plain),
    token('someone of a suspended tenant', admin(shut.adminId, shut.tenantId), isJwt, () => plain),
    key('a key that is none', 'cdk_test_nokey', () => badKey),
    key('a mistyped key', typo, () => badKey),
    key('a well-formed key that no one has', unknown.key, () => badKey),
    key('an access token as a key', tokens.sign('access', claimsOf(instance, 'super_admin')), () => badKey),
    key('a revoked key', revoked.key, () => badKey),
    key('an expired key', old.key, () => badKey),
    key('the key of a suspended user', gone.key, () => plain),
    key('the key of someone who was removed', orphan.key, () => plain),
    key('the key of a suspended tenant', closed.key, () => plain),
    token(
      'a key as a token',
      () => working.key,
      () => false,
      () => undefined,
    ),
    ...people,
  ]
}

async function appsOf({ app }: SeededInstance, userId: string): Promise<readonly App[]> {
  const row = await app.db.sql.get<{ app_access: string | App[] }>(
    'select app_access from users where id = ?',
    [userId],
  )
  const apps = row?.app_access ?? []
  return typeof apps === 'string' ? (JSON.parse(apps) as App[]) : apps
}
