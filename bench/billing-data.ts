import { assemble } from '../packages/core/src/composition/assemble.ts'
import { choosePlan } from '../packages/core/src/domain/accounts/billing/plans/plans.ts'
import {
  activateSubscription,
  openSubscription,
} from '../packages/core/src/domain/accounts/billing/subscriptions.ts'
import { transact } from '../packages/core/src/kernel/transact.ts'
import type { Database, Sql } from '../packages/core/src/platform/database/database.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { type Installation, lookInto } from './installation.ts'

const hourMs = 3_600_000
const runsOfEach = 10

interface Size {
  tenantId: string
  adminId: string
  tenants: number
}

/**
 * Copies one tenant, its admin and its active subscription, whose month ended an hour ago, until there are so many; each has ten runs
 * whose cost is beyond the plan.
 */
export async function fillForMonthEnd(
  installation: Installation,
  { tenantId, adminId, tenants }: Size,
): Promise<void> {
  await subscribe(installation, tenantId)
  const db = await lookInto(installation)
  const now = Date.now()
  const ago = (hours: number) => new Date(now - hours * hourMs)
  try {
    await db.write(async (tx) => {
      await tx.run(`update tenants set status = 'active' where id = ?`, [tenantId])
      await tx.run(
        `update subscriptions set started_at = ?, period_starts_at = ?, next_billing_at = ?, included_micros = 1000000
         where tenant_id = ?`,
        [ago(24 * 31), ago(24 * 30), ago(1), tenantId],
      )
      await tx.run('update runs set cost_micros = 250000, completed_at = ? where tenant_id = ?', [
        ago(48),
        tenantId,
      ])
      const others = tenants - 1
      const tenant = idOf(db, tenantId, 's.n')
      await copy(db, tx, 'tenants', tenantId, others, {
        id: tenant,
        name: `'Tenant ' || s.n`,
        domain: 'null',
      })
      const owned = { id: idOf(db, tenantId, 's.n'), tenant_id: tenant }
      await copy(db, tx, 'users', adminId, others, { ...owned, email: `'admin' || s.n || '@bench.example'` })
      await copy(db, tx, 'subscriptions', await only(tx, 'subscriptions', tenantId), others, owned)
      const run = await only(tx, 'runs', tenantId)
      const n = `s.n * ${runsOfEach}`
      for (let i = 0; i < runsOfEach; i += 1)
        await copy(db, tx, 'runs', run, others, { id: idOf(db, run, `${n} + ${i}`), tenant_id: tenant })
    })
  } finally {
    await db.close()
  }
}

/** How many invoices there are. */
export async function invoicesIssued(installation: Installation): Promise<number> {
  const db = await lookInto(installation)
  try {
    return Number((await db.sql.get<{ n: number }>('select count(*) as n from invoices'))?.n)
  } finally {
    await db.close()
  }
}

async function subscribe(installation: Installation, tenantId: string): Promise<void> {
  const instance = await assemble({ ...installation, log: silentLogger })
  try {
    await transact(instance.system(), async (txn) => {
      const choice = await choosePlan(txn, { name: 'pro', region: 'US' })
      await openSubscription(txn, { tenantId, choice })
      await activateSubscription(txn, tenantId)
    })
  } finally {
    await instance.services.http.close()
    await instance.close()
  }
}

/** The id of a copy: as old as the first, with a number in place of what is random. */
function idOf({ dialect }: Database, first: string, n: string): string {
  const digits = dialect === 'postgresql' ? `lpad((${n})::text, 16, '0')` : `printf('%016d', ${n})`
  return `'${first.slice(0, 10)}' || ${digits}`
}

async function only(tx: Sql, table: string, tenantId: string): Promise<string> {
  const row = await tx.get<{ id: string }>(
    `select id from ${table} where tenant_id = ? order by id limit 1`,
    [tenantId],
  )
  if (!row) throw new Error(`The tenant has nothing in ${table}`)
  return row.id
}

/** Inserts copies of one row. @param changes expressions in place of columns; `s.n` counts from 1 */
async function copy(
  { dialect }: Database,
  tx: Sql,
  table: string,
  id: string,
  count: number,
  changes: Record<string, string>,
): Promise<void> {
  const first = await tx.get(`select * from ${table} where id = ?`, [id])
  const columns = Object.keys(first ?? {}).map((name) => `"${name}"`)
  const values = Object.keys(first ?? {}).map((name) => changes[name] ?? `b."${name}"`)
  const series =
    dialect === 'postgresql'
      ? `generate_series(1, ${count}) s (n)`
      : `(with recursive c (n) as (select 1 union all select n + 1 from c where n < ${count}) select n from c) s`
  await tx.run(
    `insert into ${table} (${columns.join()}) select ${values.join()} from ${table} b, ${series} where b.id = ?`,
    [id],
  )
}
