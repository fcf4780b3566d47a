import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** Every type of channel, with the name that people read. */
export const channelNames = {
  professional_network: 'Professional network',
  social_network_a: 'Social network',
  photo_network: 'Photo network',
  short_video_network: 'Short-video network',
  cms_site: 'Website',
  business_profile: 'Business profile',
  search_ads: 'Search ads',
  social_ads: 'Social ads',
  email_platform_a: 'E-mail platform A',
  email_platform_b: 'E-mail platform B',
  web_analytics: 'Web analytics',
  search_console: 'Search console',
  microblog_a: 'Microblog A',
  microblog_b: 'Microblog B',
} as const

export type ChannelType = keyof typeof channelNames
export const channelTypes = Object.keys(channelNames) as [ChannelType, ...ChannelType[]]

export const channelStatuses = ['connected', 'expired', 'error', 'disconnected'] as const
export type ChannelStatus = (typeof channelStatuses)[number]

export type ChannelAuthKind = 'oauth' | 'credentials'

/** Facts about an account by their names; none of them is a secret. */
export type ChannelAccount = Readonly<Record<string, string>>

/** How much of a limit is used, and when it is whole again, milliseconds since the epoch. */
export type SpentLimits = Readonly<Record<string, { left: number; until: number }>>

/** A tenant's account at a channel; one for each type, however often it is connected again. */
export const ChannelConnection = defineEntity({
  name: 'ChannelConnection',
  tableName: 'channel_connections',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    type: p.string().$type<ChannelType>(),
    /** As it was last found; `statusNow` says what it has become since. */
    status: p.string().$type<ChannelStatus>(),
    accountName: p.string().strictNullable(),
    /** Both tokens, sealed for the tenant; null once they are forgotten. */
    tokensSealed: p.text().strictNullable(),
    /** When the access token ends; null where it does not. */
    expiresAt: instantColumn().strictNullable(),
    /** There is a refresh token, so that the end of the access token is not the end of the connection. */
    renewable: p.boolean(),
    /** By consent at the provider, or by a key or password that a person has pasted. */
    auth: p.string().$type<ChannelAuthKind>().default('oauth'),
    /** What is known of the account and is no secret, such as the address of its server; as the connector words it. */
    account: p.json().$type<ChannelAccount>().strictNullable(),
    /** What of the platform's limits is used up, by the limit's name. */
    limits: p.json().$type<SpentLimits>().strictNullable(),
    /** The platform has asked to be left alone until then. */
    waitsUntil: instantColumn().strictNullable(),
    /** How often in a row it has. */
    throttled: p.integer().default(0),
    /** The platform refused the figures of posts then, and has told none since; null where it tells them, or was never asked. */
    figuresRefusedAt: instantColumn().strictNullable(),
    /** Which process renews the tokens, and how long it may take. */
    refreshingBy: refColumn().strictNullable(),
    refreshingUntil: instantColumn().strictNullable(),
    lastCheckedAt: instantColumn().strictNullable(),
    connectedAt: instantColumn(),
    /** User ULID. */
    connectedBy: refColumn(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'channel_connections_once', properties: ['tenantId', 'type'] }],
  filters: ownedByTenant,
})

/** Someone was sent to a provider and is expected back, once. */
export const ConnectAttempt = defineEntity({
  name: 'ConnectAttempt',
  tableName: 'connect_attempts',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    userId: refColumn(),
    platform: p.string().$type<ChannelType>(),
    /** SHA-256 of the state, which itself is never stored. */
    stateHash: p.string().length(64),
    /** The proof key, sealed for the tenant. */
    verifierSealed: p.text(),
    /** Where the person goes in the end; was allowed when the attempt began. */
    redirectUrl: p.text(),
    /** The person's own server, where the platform is one that everybody can run; null for a provider. */
    server: p.text().strictNullable(),
    createdOn: instantColumn(),
    expiresAt: instantColumn(),
  },
  uniques: [{ name: 'connect_attempts_state', properties: ['stateHash'] }],
  indexes: [{ name: 'connect_attempts_by_expiry', properties: ['expiresAt'] }],
  filters: ownedByTenant,
})

export type ConnectionRow = InferEntity<typeof ChannelConnection>
