import type { Ctx } from '../context.ts'
import { oneTenant } from '../scope.ts'
import { getVersion, listVersions } from '../versions/queries.ts'
import type { VersionListQuery, VersionQuery } from '../versions/schemas.ts'
import { configureAgent, restoreConfig } from './config.ts'
import { agentHealth } from './health.ts'
import { getAgent } from './list-queries.ts'
import type { AgentChanges, AgentCheck, AgentDetail } from './schemas.ts'
import { agentVersions } from './settings.ts'

/**
 * Sets how a role works for the tenant of the context. Serves `PATCH /dashboard/v1/agents/:agentRole`.
 * @throws DomainError as `configureAgent`
 */
export async function changeAgent(ctx: Ctx, role: string, changes: AgentChanges): Promise<AgentDetail> {
  await configureAgent(ctx, role, changes)
  return getAgent(ctx, role)
}

/** Puts back what the tenant had set itself in a version. @throws DomainError as `restoreConfig` */
export async function restoreAgent(ctx: Ctx, role: string, version: number): Promise<AgentDetail> {
  await restoreConfig(ctx, role, version)
  return getAgent(ctx, role)
}

/** @throws DomainError `NOT_FOUND` for a role that the tenant does not have */
export async function agentHistory(ctx: Ctx, role: string, query?: Partial<VersionListQuery>) {
  return listVersions(ctx, await subjectOf(ctx, role), query)
}

/** @throws DomainError `NOT_FOUND` */
export async function agentVersion(ctx: Ctx, role: string, version: number, query?: VersionQuery) {
  return getVersion(ctx, await subjectOf(ctx, role), version, query)
}

async function subjectOf(ctx: Ctx, role: string) {
  const { id } = await getAgent(ctx, role)
  return agentVersions({ id, tenantId: oneTenant(ctx) })
}

/**
 * Asks whether work could be given to an agent now; no token is spent. Serves `POST /dashboard/v1/agents/:agentRole/test`.
 * @throws DomainError `NOT_FOUND`
 */
export async function testAgent(ctx: Ctx, role: string): Promise<AgentCheck> {
  const { ok, message, checks } = await agentHealth(ctx, role)
  return { ok, message, checks }
}
