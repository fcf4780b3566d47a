import type { EntitySchema } from '@mikro-orm/core'
import type { z } from 'zod'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Database, EntityManager, Sql } from '../platform/database/database.ts'
import type { NewValues } from '../platform/database/new-rows.ts'
import type { Logger } from '../platform/log.ts'
import type { EventDefinition, Happening } from './events.ts'
import type { JobDefinition, JobOrder } from './jobs.ts'
import type { Services } from './services.ts'

export const roles = ['admin', 'member', 'reviewer', 'super_admin', 'agent'] as const
export type Role = (typeof roles)[number]

export const apps = ['dashboard', 'dm-portal', 'manage'] as const
export type App = (typeof apps)[number]

/** What an API key lets an assistant do that acts for its user: nothing, read, or all that the user may. */
export const assistantAccesses = ['none', 'read', 'decide'] as const
export type AssistantAccess = (typeof assistantAccesses)[number]

/** Who is acting: a person, an agent's run, or a program with an API key. */
export interface Principal {
  /** User ULID; for an agent the run's ULID. */
  id: string
  type: 'human' | 'agent' | 'api_key'
  role: Role
  /** The one tenant of an admin, member or agent; absent for reviewers and super-admins. */
  tenantId?: string
  appAccess: readonly App[]
  keyId?: string
  /** Of an API key; with any other credential an assistant reads. */
  assistantAccess?: AssistantAccess
  /** Of an agent: which attempt of its run it is; an older one than the run's is fenced off. */
  attempt?: number
  /** ULID of the refresh token's session. */
  sessionId?: string
  name?: string
  email?: string
  /** Tenants that this principal may see beyond its own; `all` for super-admins and the system. */
  tenants?: readonly string[] | 'all'
  /** The tenant that a super-admin looks at through an impersonation token. */
  impersonating?: string
  /** When a session, an impersonation or an API key ends, milliseconds since the epoch: its open streams end with it. */
  until?: number
}

/** The tenants that reads and writes of a context can reach; nothing outside of it exists for them. */
export type Scope = readonly string[] | 'all'

/** A request's hold on its idempotency key. */
export interface IdempotencyClaim {
  key: string
  /** ULID of this hold; a later one of the same key has another. */
  id: string
  /** Hash of what was asked. */
  hash: string
}

/** What a person has agreed to, under which an assistant acts. */
export interface GivenConsent {
  id: string
  /** User ULID of who agreed. */
  by: string
  /** Asked by the assistant's own program, or with a login of their own. */
  how: 'elicitation' | 'login'
}

/** The request that an act belongs to, for the audit and the log. */
export interface Trace {
  requestId: string
  surface: string
  method: string
  path: string
  /** Semantic label of the act, such as `approval.resolve`. */
  action?: string
  /** The status that a success will answer with. */
  status?: number
  /** The assistant that acts for the actor, as it names itself. */
  assistant?: string
  /** Which consent of a person the assistant acts under. */
  consent?: GivenConsent
  /** When the act began, milliseconds since the epoch. */
  startedAt: number
  /** The idempotency key of the request: its acts commit only while it is held. */
  claim?: IdempotencyClaim
  /** Set once an audit record was written in the act's own transaction. */
  audited: boolean
}

/** What every domain function gets first: who, where, when, and through which doors. */
export interface Ctx {
  scope: Scope
  actor: Principal
  trace: Trace
  db: Database
  /** Hot reads on committed data, inside a command on what the command sees; each statement takes the scope itself. */
  sql: Sql
  clock: Clock
  newId: NewId
  log: Logger
  services: Services
}

/** What is written about an act, beside who did it and when. */
export interface AuditEntry {
  tenantId?: string | null
  resourceType: string
  resourceId?: string | null
  before?: unknown
  after?: unknown
  /** Overrides the label of the endpoint. */
  action?: string
}

/** A context inside its one transaction: what is changed, told, queued and audited here commits together or not at all. */
export interface Transaction extends Ctx {
  /** Bound to the transaction and to the scope's tenants. */
  em: EntityManager
  /** Raw statements inside the same transaction. */
  tx: Sql
  emit<S extends z.ZodObject>(event: EventDefinition<string, S>, happening: Happening<S>): void
  enqueue<S extends z.ZodObject>(job: JobDefinition<S>, order: JobOrder<S>): void
  /** Tells the other processes something that cannot wait for their next look. */
  signal(signal: Signal, payload?: string): void
  audit(entry: AuditEntry): void
  /** Adds a row that nothing reads before the commit: all of them are written together, at the end. */
  insert<S extends EntitySchema>(entity: S, values: NewValues<S>): void
}

/**
 * What one process tells the others at once when its transaction commits, by the channel that carries it. Anyone who misses
 * one finds the same in the database a little later.
 */
export const signals = {
  /** A run may be waiting. */
  runs: 'copydesk_runs',
  /** A run is to stop; the payload is its id. */
  cancel: 'copydesk_cancel',
} as const

export type Signal = keyof typeof signals

/** True for a human being, also one who acts through a program; not for agents and for Copydesk itself. */
export function isPerson({ actor }: Ctx): boolean {
  return actor.type !== 'agent' && actor.id !== 'system'
}

/** How the one who acts is named in logs, comments and verdicts. */
export function actorName(ctx: Ctx): string {
  return ctx.actor.name ?? ctx.actor.email ?? (ctx.actor.id === 'system' ? 'Copydesk' : ctx.actor.id)
}

/** What an assistant may do that acts for someone: what the API key says; with any other credential it reads. */
export function assistantRight({ type, assistantAccess = 'none' }: Principal): AssistantAccess {
  return type === 'api_key' ? assistantAccess : 'read'
}
