import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { oneTenant, within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { like, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { agentTables } from '../configuration/effective-queries.ts'
import { DefaultAgent, TenantAgent } from '../configuration/entities.ts'
import { Skill, type SkillReference, type SkillScope } from './entities.ts'
import { skillBody } from './read-file.ts'
import type { GlobalSkillQuery, SkillDetail, SkillItem, SkillQuery } from './schemas.ts'

const s = table(Skill, 's')

const columns = {
  ...pick(s, 'id', 'tenantId', 'name', 'description', 'sizeBytes'),
  createdBy: s.createdByName,
  createdOn: s.createdOn,
  updatedOn: s.updatedOn,
}
const texts = {
  content: s.content,
  // A reserved word.
  references: like(s.references, 's."references"'),
}
const skill = select(columns)
const skillWithTexts = select({ ...columns, ...texts })
const agentSkill = select({ tenantId: s.tenantId, name: s.name, description: s.description, ...texts })
const size = select({ id: s.id, bytes: s.sizeBytes })

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
      select: skill,
      from: `from ${s}`,
      id: s.id,
      rows: isGlobal,
      deletedBy: 'skill.delete',
      filters: [heldBy(holders, query['filter.agentRole'])],
      search: { words: query.search, texts: [s.name, s.description], from: `from ${s}` },
      request: query,
    },
    (row) => toItem(row, holders),
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
  const rows = await skill.all(
    ctx.sql,
    `from ${s} where ${condition.sql} order by s.name, s.id`,
    condition.params,
  )
  return { data: rows.map((row) => toItem(row, holders)) }
}

/**
 * One skill with its texts; a tenant sees those of the installation too. As committed; inside a command, as flushed so far.
 * @throws DomainError `NOT_FOUND`
 */
export async function getSkill(ctx: Ctx | Transaction, scope: SkillScope, id: string): Promise<SkillDetail> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const condition = where(scope === 'global' ? isGlobal : seenBy(ctx), equals(s.id, id))
  const row = await skillWithTexts.get(sql, `from ${s} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('skill')
  const holders = scope === 'global' ? await masterHolders(ctx) : await tenantHolders(ctx, oneTenant(ctx))
  const { content, references, ...item } = row
  return { ...toItem(item, holders), content, references }
}

/**
 * Which of these ids are of skills of an owner, with their sizes in bytes.
 * @param tenantId null for the skills of the installation
 */
export async function skillSizes(
  txn: Transaction,
  tenantId: string | null,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { sql, params } = where(
    tenantId === null ? isGlobal : where(equals(s.tenantId, tenantId), ownedBy(txn)),
    { sql: `s.id in (${placeholders(ids)})`, params: [...ids] },
  )
  const rows = await size.all(txn.tx, `from ${s} where ${sql}`, params)
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
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
  ctx: Ctx | Transaction,
  tenantId: string,
  skillIds: readonly string[],
): Promise<AgentSkill[]> {
  if (skillIds.length === 0) return []
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 's.tenant_id')
  const rows = await agentSkill.all(
    sql,
    `from ${s} where s.id in (${placeholders(skillIds)}) and (s.tenant_id is null or (s.tenant_id = ? and ${scope.sql}))
     order by s.name`,
    [...skillIds, tenantId, ...scope.params],
  )
  const own = new Set(rows.filter((row) => row.tenantId !== null).map(({ name }) => name))
  const skills: AgentSkill[] = []
  for (const { tenantId: ofTenant, name, description, content, references } of rows)
    if (ofTenant !== null || !own.has(name))
      skills.push({ name, description, content: await skillBody(content), references })
  return skills
}

/** Roles with the ids of their skills. */
type Holders = Array<{ role: string; skillIds: ReadonlySet<string> }>

const a = table(TenantAgent, 'a')
const m = table(DefaultAgent, 'm')
const master = select({ role: m.role, skillIds: m.defaultSkillIds })
const agent = select({
  role: a.role,
  skillIds: a.skillIds,
  defaultSkillIds: m.defaultSkillIds,
  ownSkillIds: a.ownSkillIds,
})

async function masterHolders(ctx: Ctx | Transaction): Promise<Holders> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const rows = await master.all(sql, `from ${m} order by m.role`)
  return rows.map(({ role, skillIds }) => ({ role, skillIds: new Set(skillIds) }))
}

async function tenantHolders(ctx: Ctx | Transaction, tenantId: string): Promise<Holders> {
  const sql = 'tx' in ctx ? ctx.tx : ctx.sql
  const scope = within(ctx.scope, 'a.tenant_id')
  const rows = await agent.all(
    sql,
    `from ${agentTables} where a.tenant_id = ? and a.status <> 'terminated' and ${scope.sql} order by a.role`,
    [tenantId, ...scope.params],
  )
  return rows.map(({ role, skillIds, defaultSkillIds, ownSkillIds }) => ({
    role,
    skillIds: new Set([...(skillIds ?? defaultSkillIds), ...(ownSkillIds ?? [])]),
  }))
}

function heldBy(holders: Holders, role: string | undefined): Condition | undefined {
  if (role === undefined) return undefined
  const ids = [...(holders.find((one) => one.role === role)?.skillIds ?? [])]
  return { sql: `s.id in (${placeholders(ids)})`, params: ids }
}

const ownedBy = (ctx: Ctx | Transaction): Condition => within(ctx.scope, 's.tenant_id')

function seenBy(ctx: Ctx | Transaction): Condition {
  const own = ownedBy(ctx)
  return { sql: `${isGlobal.sql} or ${own.sql}`, params: own.params }
}

function toItem(row: RowOf<typeof skill>, holders: Holders): SkillItem {
  const { id, tenantId, name, description, ...rest } = row
  return {
    id,
    name,
    description,
    scope: tenantId === null ? 'global' : 'tenant',
    assignedAgents: holders.filter(({ skillIds }) => skillIds.has(id)).map(({ role }) => role),
    ...rest,
  }
}
