import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import { agentTables } from '../agents/effective-queries.ts'
import type { Command, Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { oneTenant, within } from '../scope.ts'
import type { SkillReference, SkillScope } from './entities.ts'
import { bodyOf } from './read-file.ts'
import type { GlobalSkillQuery, SkillDetail, SkillItem, SkillQuery } from './schemas.ts'

const columns = `s.id, s.tenant_id, s.name, s.description, s.size_bytes, s.created_by_name, s.created_on, s.updated_on`
const isGlobal: Condition = { sql: 's.tenant_id is null', params: [] }

/** Skills of the installation, newest first. Serves `GET /admin/v1/skills`. */
export async function listGlobalSkills(
  ctx: Ctx,
  given: Partial<GlobalSkillQuery> = {},
): Promise<Page<SkillItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const holders = await masterHolders(ctx)
  return readPage(
    ctx,
    {
      select: `select ${columns} from skills s`,
      id: 's.id',
      rows: isGlobal,
      deletedBy: 'skill.delete',
      filters: [heldBy(holders, query['filter.agentRole'])],
      search: { words: query.search, texts: ['s.name', 's.description'], from: 'from skills s' },
      request: query,
    },
    (row: Row) => toItem(row, holders),
  )
}

/** The tenant's own skills and those of the installation, by name. Serves `GET /dashboard/v1/skills`. */
export async function listSkills(ctx: Ctx, query: SkillQuery = {}): Promise<{ data: SkillItem[] }> {
  const tenantId = oneTenant(ctx)
  const holders = await tenantHolders(ctx, tenantId)
  const scope = query['filter.scope']
  const condition = where(
    scope === 'global' ? isGlobal : scope === 'tenant' ? ownedBy(ctx) : seenBy(ctx),
    heldBy(holders, query['filter.agentRole']),
  )
  const rows = await ctx.sql.all<Row>(
    `select ${columns} from skills s where ${condition.sql} order by s.name, s.id`,
    condition.params,
  )
  return { data: rows.map((row) => toItem(row, holders)) }
}

/**
 * One skill with its texts; a tenant sees those of the installation too. As committed; inside a command, as flushed so far.
 * @throws DomainError `NOT_FOUND`
 */
export async function getSkill(ctx: Ctx | Command, scope: SkillScope, id: string): Promise<SkillDetail> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const condition = where(scope === 'global' ? isGlobal : seenBy(ctx), equals('s.id', id))
  const row = await sql.get<Row>(
    `select ${columns}, s.content, s."references" as attached from skills s where ${condition.sql}`,
    condition.params,
  )
  if (!row) throw notFound('skill')
  const holders = scope === 'global' ? await masterHolders(ctx) : await tenantHolders(ctx, oneTenant(ctx))
  return {
    ...toItem(row, holders),
    content: row.content as string,
    references: asJson<SkillReference[]>(row.attached) ?? [],
  }
}

/**
 * Which of these ids are of skills of an owner, with their sizes in bytes.
 * @param tenantId null for the skills of the installation
 */
export async function skillSizes(
  cmd: Command,
  tenantId: string | null,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { sql, params } = where(
    tenantId === null ? isGlobal : where(equals('s.tenant_id', tenantId), ownedBy(cmd)),
    { sql: `s.id in (${placeholders(ids)})`, params: [...ids] },
  )
  const rows = await cmd.tx.all<Row>(`select s.id, s.size_bytes from skills s where ${sql}`, params)
  return new Map(rows.map((row) => [row.id as string, asNumber(row.size_bytes)]))
}

/** A skill as an agent gets it. */
export interface AgentSkill {
  name: string
  description: string
  /** Without the front matter of its file. */
  content: string
  references: SkillReference[]
}

/**
 * The skills of an agent with their texts, by name. A skill of the tenant takes the place of one of the installation that
 * has the same name. As committed; inside a command, as flushed so far.
 */
export async function skillsOf(
  ctx: Ctx | Command,
  tenantId: string,
  skillIds: readonly string[],
): Promise<AgentSkill[]> {
  if (skillIds.length === 0) return []
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 's.tenant_id')
  const rows = await sql.all<Row>(
    `select s.tenant_id, s.name, s.description, s.content, s."references" as attached from skills s
     where s.id in (${placeholders(skillIds)}) and (s.tenant_id is null or (s.tenant_id = ? and ${scope.sql}))
     order by s.name`,
    [...skillIds, tenantId, ...scope.params],
  )
  const own = new Set(rows.filter((row) => row.tenant_id !== null).map(({ name }) => name))
  return rows
    .filter((row) => row.tenant_id !== null || !own.has(row.name))
    .map((row) => ({
      name: row.name as string,
      description: row.description as string,
      content: bodyOf(row.content as string),
      references: asJson<SkillReference[]>(row.attached) ?? [],
    }))
}

/** Roles with the ids of their skills. */
type Holders = Array<{ role: string; skillIds: ReadonlySet<string> }>

async function masterHolders(ctx: Ctx | Command): Promise<Holders> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const rows = await sql.all<Row>('select m.role, m.default_skill_ids from master_agents m order by m.role')
  return rows.map((row) => ({ role: row.role as string, skillIds: idsIn(row.default_skill_ids) }))
}

async function tenantHolders(ctx: Ctx | Command, tenantId: string): Promise<Holders> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 'a.tenant_id')
  const rows = await sql.all<Row>(
    `select a.role, a.skill_ids, m.default_skill_ids, a.own_skill_ids from ${agentTables}
     where a.tenant_id = ? and a.status <> 'terminated' and ${scope.sql} order by a.role`,
    [tenantId, ...scope.params],
  )
  return rows.map((row) => ({
    role: row.role as string,
    skillIds: idsIn(row.skill_ids ?? row.default_skill_ids, row.own_skill_ids),
  }))
}

function idsIn(...columns: unknown[]): Set<string> {
  return new Set(columns.flatMap((column) => asJson<string[]>(column) ?? []))
}

function heldBy(holders: Holders, role: string | undefined): Condition | undefined {
  if (role === undefined) return undefined
  const ids = [...(holders.find((one) => one.role === role)?.skillIds ?? [])]
  return { sql: `s.id in (${placeholders(ids)})`, params: ids }
}

const ownedBy = (ctx: Ctx | Command): Condition => within(ctx.scope, 's.tenant_id')

function seenBy(ctx: Ctx | Command): Condition {
  const own = ownedBy(ctx)
  return { sql: `${isGlobal.sql} or ${own.sql}`, params: own.params }
}

function toItem(row: Row, holders: Holders): SkillItem {
  const id = row.id as string
  return {
    id,
    name: row.name as string,
    description: row.description as string,
    scope: row.tenant_id === null ? 'global' : 'tenant',
    assignedAgents: holders.filter(({ skillIds }) => skillIds.has(id)).map(({ role }) => role),
    sizeBytes: asNumber(row.size_bytes),
    createdBy: row.created_by_name as string,
    createdOn: asInstant(row.created_on),
    updatedOn: asInstant(row.updated_on),
  }
}
