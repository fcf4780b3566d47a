import type { Ctx } from '../../kernel/context.ts'
import type { Condition } from '../../kernel/paging-queries.ts'
import { count, select, table } from '../../platform/database/read.ts'
import { DefaultAgent } from '../agents/configuration/entities.ts'

const total = select({ rows: count('count(*)') })

/** How many rows fulfil a condition. @param from `from …`, up to and without `where` */
export async function countRows({ sql }: Ctx, from: string, condition: Condition): Promise<number> {
  return (await total.get(sql, `${from} where ${condition.sql}`, condition.params))?.rows ?? 0
}

const m = table(DefaultAgent, 'm')
const agent = select({ role: m.role })

/** The roles that agents can have; they belong to no tenant. */
export async function listRoles({ sql }: Pick<Ctx, 'sql'>): Promise<string[]> {
  return (await agent.all(sql, `from ${m} order by role`)).map(({ role }) => role)
}
