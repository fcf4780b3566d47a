import { randomInt } from 'node:crypto'
import { sha256Hex } from '../../platform/crypto/hash.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { Tenant } from '../tenants/entities.ts'
import { ApiKey, User } from './entities.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^cdk_(live|test)_([0-9A-Za-z]{26})([0-9A-Za-z]{6})$/

export interface NewApiKey {
  userId: string
  name: string
  /** Narrows the key to some of the user's tenants. */
  tenantIds?: string[]
  expiresAt?: Date
}

export interface ApiKeySummary {
  id: string
  name: string
  userId: string
  keyPreview: string
  tenantIds: string[] | null
  expiresAt: Date | null
  lastUsedAt: Date | null
  status: 'active' | 'revoked' | 'expired'
  createdOn: Date
}

/**
 * Creates a key for a user. The key itself is only in this answer.
 * @throws DomainError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export async function createApiKey(ctx: Ctx, input: NewApiKey): Promise<ApiKeySummary & { key: string }> {
  const name = input.name.trim()
  if (name === '' || name.length > 200) throw invalid('name', 'A name has 1 to 200 characters')
  // Said this way round, a date that is none is refused too.
  if (input.expiresAt && !(input.expiresAt.getTime() > ctx.clock.now()))
    throw invalid('expiresAt', 'Must be in the future')
  const random = Array.from({ length: 26 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const key = `cdk_${ctx.services.settings.live ? 'live' : 'test'}_${random}${checksum(random)}`
  return command(ctx, async (cmd) => {
    if (!(await cmd.em.findOne(User, { id: input.userId }))) throw notFound('User')
    for (const id of input.tenantIds ?? [])
      if (!(await cmd.em.findOne(Tenant, { id }))) throw notFound('Tenant')
    const row = cmd.em.create(ApiKey, {
      id: cmd.newId(),
      userId: input.userId,
      name,
      keyHash: sha256Hex(key),
      keyPreview: `${key.slice(0, 13)}…${key.slice(-4)}`,
      tenantIds: input.tenantIds ?? null,
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      createdOn: cmd.clock.date(),
    })
    cmd.audit({
      tenantId: null,
      resourceType: 'api_key',
      resourceId: row.id,
      after: { name, userId: input.userId },
      action: 'api_key.create',
    })
    return { ...toSummary(row, cmd.clock.now()), key }
  })
}

/** All keys, or those of one user, without the keys themselves. */
export function listApiKeys(ctx: Ctx, filter: { userId?: string } = {}): Promise<ApiKeySummary[]> {
  return command(ctx, async (cmd) => {
    const rows = await cmd.em.find(ApiKey, filter.userId ? { userId: filter.userId } : {}, {
      orderBy: { id: 'asc' },
    })
    return rows.map((row) => toSummary(row, cmd.clock.now()))
  })
}

/**
 * Ends a key at once, and the streams that it has open at their next heartbeat; ending it again changes nothing.
 * @throws DomainError `NOT_FOUND`
 */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<void> {
  await command(ctx, async (cmd) => {
    const row = await cmd.em.findOne(ApiKey, { id })
    if (!row) throw notFound('API key')
    if (row.revokedAt) return
    row.revokedAt = cmd.clock.date()
    cmd.emit({ tenantId: null, type: 'access_revoked', subject: id, data: {} })
    cmd.audit({
      tenantId: null,
      resourceType: 'api_key',
      resourceId: id,
      before: { status: 'active' },
      after: { status: 'revoked' },
      action: 'api_key.revoke',
    })
  })
  ctx.services.revocations.add(id)
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

type Row = {
  id: string
  name: string
  userId: string
  keyPreview: string
  tenantIds: string[] | null
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  createdOn: Date
}

function toSummary(row: Row, now: number): ApiKeySummary {
  const { id, name, userId, keyPreview, tenantIds, expiresAt, lastUsedAt, createdOn } = row
  const expired = expiresAt !== null && expiresAt.getTime() <= now
  return {
    id,
    name,
    userId,
    keyPreview,
    tenantIds,
    expiresAt,
    lastUsedAt,
    status: row.revokedAt ? 'revoked' : expired ? 'expired' : 'active',
    createdOn,
  }
}
