import { randomInt } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import { checkInstant } from '../../../kernel/check.ts'
import type { Ctx } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { Tenant } from '../tenants/entities.ts'
import type { ApiKeyItem, NewApiKey } from './admin-schemas.ts'
import { ApiKey, User } from './entities.ts'
import { accessRevoked } from './events.ts'
import { refuse } from './sessions.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^cdk_(live|test)_([0-9A-Za-z]{26})([0-9A-Za-z]{6})$/

/**
 * Creates a key for a user. The key itself is only in this answer. Serves `POST /admin/v1/api-keys`.
 * @throws DomainError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export async function createApiKey(ctx: Ctx, input: NewApiKey): Promise<ApiKeyItem & { key: string }> {
  const name = input.name.trim()
  if (name === '' || name.length > 200) throw invalid('name', 'A name has 1 to 200 characters')
  // Said this way round, a date that is none is refused too.
  checkInstant('expiresAt', input.expiresAt)
  if (input.expiresAt && !(input.expiresAt.getTime() > ctx.clock.now()))
    throw invalid('expiresAt', 'Must be in the future')
  const tenantIds = input.tenantIds ? [...new Set(input.tenantIds)] : null
  const assistantAccess = input.assistantAccess ?? 'read'
  if (tenantIds?.length === 0) throw invalid('tenantIds', 'Name at least one tenant, or leave it out')
  const random = Array.from({ length: 26 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const key = `cdk_${ctx.services.settings.live ? 'live' : 'test'}_${random}${checksum(random)}`
  return transact(ctx, async (txn) => {
    const user = await txn.em.findOne(User, { id: input.userId })
    if (!user) throw notFound('user')
    for (const id of tenantIds ?? []) if (!(await txn.em.findOne(Tenant, { id }))) throw notFound('tenant')
    const row = txn.em.create(ApiKey, {
      id: txn.newId(),
      userId: input.userId,
      name,
      keyHash: sha256Hex(key),
      keyPreview: `${key.slice(0, 13)}…${key.slice(-4)}`,
      tenantIds,
      assistantAccess,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      createdOn: txn.clock.date(),
    })
    txn.audit({
      tenantId: user.tenantId,
      resourceType: 'api_key',
      resourceId: row.id,
      after: {
        name,
        userId: user.id,
        tenantIds,
        assistantAccess,
        expiresAt: row.expiresAt?.toISOString() ?? null,
      },
      action: 'api_key.create',
    })
    const { id, userId, keyPreview, expiresAt, lastUsedAt, createdOn } = row
    return {
      id,
      key,
      name,
      userId,
      keyPreview,
      tenantIds,
      assistantAccess,
      expiresAt,
      lastUsedAt,
      status: keyStatus(row, txn.clock.now()),
      createdOn,
    }
  })
}

/**
 * Ends a key at once, with the streams that it has open; ending it again changes nothing. Serves
 * `DELETE /admin/v1/api-keys/:id`.
 * @throws DomainError `NOT_FOUND`
 */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const row = await txn.em.findOne(ApiKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw notFound('API key')
    if (row.revokedAt) return
    const before = keyStatus(row, txn.clock.now())
    const user = await txn.em.findOne(User, { id: row.userId })
    row.revokedAt = txn.clock.date()
    txn.emit(accessRevoked, { tenantId: null, subject: id, data: {} })
    txn.audit({
      tenantId: user?.tenantId ?? null,
      resourceType: 'api_key',
      resourceId: id,
      before: { name: row.name, userId: row.userId, status: before },
      after: { name: row.name, userId: row.userId, status: 'revoked' },
      action: 'api_key.revoke',
    })
  })
  refuse(ctx, [id])
}

/** A key that was revoked stays revoked, whatever its date says. */
export function keyStatus(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  now: number,
): ApiKeyItem['status'] {
  if (revokedAt) return 'revoked'
  return expiresAt !== null && expiresAt.getTime() <= now ? 'expired' : 'active'
}

/** True when a text can be a key at all: a mistyped one is refused without a look into the database. */
export function isWellFormedKey(key: string): boolean {
  const match = form.exec(key)
  return match !== null && checksum(match[2] as string) === match[3]
}

function checksum(random: string): string {
  let value = BigInt(`0x${sha256Hex(random).slice(0, 16)}`)
  let text = ''
  for (let i = 0; i < 6; i += 1) {
    text += alphabet[Number(value % 62n)]
    value /= 62n
  }
  return text
}
