import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Assembled } from '../../../packages/core/src/composition/assemble.ts'
import { answer } from '../../../packages/core/src/domain/language/answer.ts'
import type { Ctx } from '../../../packages/core/src/kernel/context.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { fillBigTenant } from '../../kit/big-tenant.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type Ran, recordSql } from '../../kit/plans.ts'

let app: TestApp
let team: Team
let assembled: Assembled & AsyncDisposable

beforeAll(async () => {
  const clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  team = await app.team()
  await fillBigTenant(app.db, team.tenantId, { neighbours: [], share: 10, now: clock.now() })
  await app.db.write(async (tx) => {
    await tx.run(`update approvals set resolution = 'approved', resolved_by_id = 'u', resolved_by_name = 'Una'
      where resolved_at is not null`)
    await tx.run(`update activities set completed_at = status_since where status = 'done'`)
    await tx.run('analyze')
  })
  assembled = await parts(app)
}, 120_000)

afterAll(async () => {
  await assembled?.[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** The statements that a request runs for one reviewer of the tenant. */
async function statementsOf(query: string): Promise<Ran[]> {
  const { reviewerId: id, tenantId } = team
  const ctx = assembled.contextFor({
    actor: { id, type: 'human', role: 'reviewer', appAccess: ['dm-portal'] },
    scope: [tenantId],
  })
  const { sql, ran } = recordSql(ctx.sql)
  const own: Ctx = { ...ctx, sql, db: { ...ctx.db, sql } }
  expect((await answer(own, { query, context: { surface: 'cli' } })).type).toBe('data')
  return ran
}

async function planOf({ text, params }: Ran): Promise<string> {
  if (app.db.dialect === 'sqlite')
    return JSON.stringify(await app.db.sql.all(`explain query plan ${text}`, params))
  return app.db.write(async (tx) => {
    // The tenant has no runs, and PostgreSQL reads an empty table as a whole: what counts is whether an index serves.
    if (text.includes('from runs')) await tx.run('set local enable_seqscan = off')
    return JSON.stringify(await tx.all(`explain ${text}`, params))
  })
}

describe('cli.nl at a tenant with years of data', () => {
  it.each([
    ['how many did we approve yesterday', /a\.resolved_at >= /, /approvals_by_verdict/],
    ['what did una approve yesterday', /a\.resolved_at >= /, /approvals_by_verdict/],
    ['what was finished yesterday', /x\.completed_at >= /, /activities_finished/],
    [
      'what happened today',
      /from approvals a .*a\.id >= /s,
      /approvals_(?:by_tenant|pkey)|autoindex_approvals/,
    ],
    ['what did the blog writer do today', /from runs r/, /runs_by_(?:agent|tenant|role)|runs_pkey/],
  ])('reads "%s" by an index', async (query, statement, index) => {
    const ran = (await statementsOf(query)).filter(({ text }) => statement.test(text))
    expect(ran.length).toBeGreaterThan(0)
    for (const one of ran) expect(await planOf(one)).toMatch(index)
  })
})
