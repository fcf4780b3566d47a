import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { App, AssistantAccess, Role } from '../../../kernel/context.ts'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

export type UserStatus = 'active' | 'suspended' | 'deactivated'

/** Who says that the mailbox of an account is its holder's: no one, an operator who made the account, or a mailed link. */
export type MailboxProof = 'none' | 'operator' | 'mail'

/** A person. Staff (reviewers, super-admins) belong to no tenant. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: idColumn(),
    tenantId: refColumn().strictNullable(),
    /** Lower case; unique over all tenants. */
    email: p.string(),
    name: p.string(),
    passwordHash: p.string(),
    role: p.string().$type<Exclude<Role, 'agent'>>(),
    appAccess: p.json().$type<App[]>(),
    status: p.string().$type<UserStatus>(),
    mailboxProof: p.string().$type<MailboxProof>().default('operator'),
    /** When the person was last asked by mail for the proof. */
    proofAskedOn: instantColumn().strictNullable(),
    phone: p.string().strictNullable(),
    country: p.string().strictNullable(),
    about: p.text().strictNullable(),
    whatsapp: p.string().strictNullable(),
    image: p.text().strictNullable(),
    lastLoginAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'users_email', properties: ['email'] }],
  indexes: [{ name: 'users_by_tenant', properties: ['tenantId'] }],
})

/** A tenant that a reviewer, or an admin beside the own one, works for. */
export const TenantAssignment = defineEntity({
  name: 'TenantAssignment',
  tableName: 'tenant_assignments',
  properties: {
    id: idColumn(),
    userId: refColumn(),
    tenantId: refColumn(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'tenant_assignments_once', properties: ['userId', 'tenantId'] }],
  indexes: [{ name: 'tenant_assignments_by_tenant', properties: ['tenantId'] }],
})

/** A login: the refresh token's record. Its id is the `sid` claim of the access tokens made from it. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: idColumn(),
    userId: refColumn(),
    /** SHA-256 of the refresh token, which itself is never stored. */
    tokenHash: p.string().length(64),
    expiresAt: instantColumn(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'sessions_token', properties: ['tokenHash'] }],
  indexes: [{ name: 'sessions_by_user', properties: ['userId'] }],
})

/** A long-lived key of a program that acts for a user. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: idColumn(),
    userId: refColumn(),
    name: p.string(),
    /** SHA-256 of the key, which itself is shown once and never stored. */
    keyHash: p.string().length(64),
    /** The first characters and the last four, to tell keys apart. */
    keyPreview: p.string(),
    /** Narrows the user's tenants; null is all that the user has. */
    tenantIds: p.json().$type<string[]>().strictNullable(),
    assistantAccess: p.string().$type<AssistantAccess>().default('read'),
    expiresAt: instantColumn().strictNullable(),
    revokedAt: instantColumn().strictNullable(),
    lastUsedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'api_keys_hash', properties: ['keyHash'] }],
  indexes: [{ name: 'api_keys_by_user', properties: ['userId'] }],
})

/** The first answer to a request with an `Idempotency-Key`, kept for 24 hours. */
export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    /** SHA-256 over caller, method, path and key. */
    key: p.string().length(64).primary(),
    /** HMAC of what was asked, with the id of its key; a plain hash would tell the body to anyone who guesses it. */
    bodyHash: p.string(),
    /** The request that holds the key, and how long no one else may have it. */
    claimedBy: p.string(),
    claimedUntil: instantColumn(),
    /** What the request did is done: no one may do it again, answer or not. */
    committed: p.boolean(),
    /** Null as long as there is no answer. */
    status: p.integer().strictNullable(),
    response: p.text().strictNullable(),
    expiresAt: instantColumn(),
  },
  indexes: [{ name: 'idempotency_records_by_expiry', properties: ['expiresAt'] }],
})

/** The newest request of a person for a new password: only its link counts, and only once. */
export const PasswordReset = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    userId: idColumn(),
    /** The `jti` claim of the link's token. */
    requestId: refColumn(),
    requestedOn: instantColumn(),
    expiresAt: instantColumn(),
    /** Set by the use of the link, and by a change of the password in another way. */
    usedAt: instantColumn().strictNullable(),
  },
})

/** What people are invited as; a reviewer works for the tenant and belongs to none. */
export const invitedRoles = ['admin', 'member', 'reviewer'] as const
export type InvitedRole = (typeof invitedRoles)[number]

/** A mail that lets someone choose a password and become a person of a tenant. */
export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /** Lower case. */
    email: p.string(),
    name: p.string(),
    role: p.string().$type<InvitedRole>(),
    /** SHA-256 of the token in the mailed link, which itself is never stored; another one after each sending. */
    tokenHash: p.string().length(64),
    /** The same of the link that the inviter was given, which proves no mailbox; null when no one was given one. */
    handedTokenHash: p.string().length(64).strictNullable(),
    /** User ULID, or `system`. */
    invitedBy: p.string(),
    sentOn: instantColumn(),
    expiresAt: instantColumn(),
    acceptedOn: instantColumn().strictNullable(),
    revokedOn: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [
    { name: 'invitations_token', properties: ['tokenHash'] },
    { name: 'invitations_handed_token', properties: ['handedTokenHash'] },
    {
      name: 'invitations_open',
      properties: ['tenantId', 'email'],
      where: 'accepted_on is null and revoked_on is null',
    },
  ],
  indexes: [{ name: 'invitations_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})

/** A network from which a person has proved who that is: what strangers try elsewhere does not count there. */
export const KnownLogin = defineEntity({
  name: 'KnownLogin',
  tableName: 'known_logins',
  properties: {
    userId: idColumn(),
    /** HMAC of the IPv4 address or the /64 of the IPv6 address, with the id of its key. */
    network: p.string().primary(),
    /** The last time. */
    usedOn: instantColumn(),
  },
  indexes: [{ name: 'known_logins_by_age', properties: ['usedOn'] }],
})

/**
 * A tenant or a role that was given to an account whose mailbox no one has proved. It counts for nothing until the proof comes,
 * and then becomes an assignment or the role.
 */
export const PendingGrant = defineEntity({
  name: 'PendingGrant',
  tableName: 'pending_grants',
  properties: {
    id: idColumn(),
    userId: refColumn(),
    /** Of an assignment; null for a role. */
    tenantId: refColumn().strictNullable(),
    /** Of a role; null for an assignment. */
    role: p.string().$type<InferEntity<typeof User>['role']>().strictNullable(),
    /** User ULID, or `system`. */
    grantedBy: p.string(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'pending_grants_once', properties: ['userId', 'tenantId'] }],
})
