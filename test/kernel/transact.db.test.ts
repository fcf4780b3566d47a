import { describe, expect, it } from 'vitest'
import { Feedback } from '../../packages/core/src/domain/work/content/entities.ts'
import { budgetAlert } from '../../packages/core/src/domain/work/runs/events.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { parts } from '../domain/agents.ts'
import { createTestApp } from '../kit/app.ts'
import { asJson } from '../kit/columns.ts'
import { dialect } from '../kit/database.ts'

describe('a command', () => {
  // Elsewhere commands that wait for each other wait for a lock, which ends with the commit.
  it.runIf(dialect === 'sqlite')(
    'sees what those before it have written, whose commit it shares',
    async () => {
      await using app = await createTestApp({ worker: false })
      const { tenantId } = await app.team()
      await using node = await parts(app)
      const told = "select seq from event where type = 'budget_alert'"
      const tell = () =>
        transact(node.system(), async (txn) => {
          const about = { tenants: [tenantId], types: ['budget_alert'], subject: tenantId }
          const before = {
            events: (await txn.services.events.read(about, 0, 10, txn.tx)).length,
            rows: (await txn.sql.all(told)).length,
            committed: (await app.db.sql.all(told)).length,
          }
          const data = { scope: 'tenant', id: tenantId, level: 80, message: 'It nears its end' } as const
          txn.emit(budgetAlert, { tenantId, subject: tenantId, data })
          return before
        })
      const seen = await Promise.all([tell(), tell(), tell()])
      expect(seen.toSorted((a, b) => a.rows - b.rows)).toEqual(
        [0, 1, 2].map((before) => ({ events: before, rows: before, committed: 0 })),
      )
      expect(await app.db.sql.all(told)).toHaveLength(3)
    },
  )

  it('adds rows of the tenants in its scope only, and nothing at all otherwise', async () => {
    await using app = await createTestApp({ worker: false })
    const [own, other] = [await app.team(), await app.team()]
    await using node = await parts(app)
    const add = (...tenantIds: string[]) =>
      transact(node.adminOf(own.tenantId), async (txn) => {
        for (const tenantId of tenantIds)
          txn.insert(Feedback, {
            id: txn.newId(),
            tenantId,
            contentKind: 'social_post',
            kind: 'note',
            text: `it's "quoted"`,
            activityId: txn.newId(),
            approvalId: null,
            createdOn: txn.clock.date(),
          })
        txn.audit({ resourceType: 'tenant', after: { "it's": ['kept', null] } })
      })
    await expect(add(own.tenantId, other.tenantId)).rejects.toThrow('Feedback of another tenant')
    expect(await app.db.sql.all('select * from feedback')).toEqual([])
    await add(own.tenantId, own.tenantId)
    const rows = await app.db.sql.all('select tenant_id, text, approval_id from feedback')
    const row = { tenant_id: own.tenantId, text: `it's "quoted"`, approval_id: null }
    expect(rows).toEqual([row, row])
    const records = await app.db.sql.all<{ after: unknown }>(
      'select after from audit_records where after is not null',
    )
    expect(records.map(({ after }) => asJson(after))).toContainEqual({ "it's": ['kept', null] })
  })

  it('takes effect once though it and another one lock each other out', async () => {
    await using app = await createTestApp({ worker: false })
    const [one, two] = [await app.team(), await app.team()]
    await using node = await parts(app)
    // On SQLite they come one after the other.
    const { promise: bothHoldOne, resolve: meet } = Promise.withResolvers<void>()
    const lock = 'update tenants set updated_on = updated_on where id = ?'
    let attempts = 0
    let holders = 0
    const act = (first: string, second: string) =>
      transact(node.system(), async (txn) => {
        attempts += 1
        await txn.tx.run(lock, [first])
        holders += 1
        if (holders === 2 || dialect === 'sqlite') meet()
        await bothHoldOne
        await txn.tx.run(lock, [second])
        txn.audit({ resourceType: 'tenant', resourceId: first, action: 'locked' })
      })
    await Promise.all([act(one.tenantId, two.tenantId), act(two.tenantId, one.tenantId)])
    // Both took their first lock, so one had to begin again, or, where the other one was slow to wake, more than once.
    expect(attempts).toBeGreaterThanOrEqual(dialect === 'sqlite' ? 2 : 3)
    expect(await recordsOf(app.db, 'locked')).toEqual([one.tenantId, two.tenantId].toSorted())
  })

  it('that breaks a constraint leaves nothing, and those that are committed with it are whole', async () => {
    await using app = await createTestApp({ worker: false })
    const { tenantId } = await app.team()
    await using node = await parts(app)
    const add = (id: string) =>
      transact(node.adminOf(tenantId), async (txn) => {
        txn.audit({ resourceType: 'feedback', resourceId: id, action: 'added' })
        txn.insert(Feedback, {
          id,
          tenantId,
          contentKind: 'social_post',
          kind: 'note',
          text: 'Shorter',
          activityId: txn.newId(),
          approvalId: null,
          createdOn: txn.clock.date(),
        })
      })
    const [taken, ...others] = Array.from({ length: 9 }, () => node.newId()) as [string, ...string[]]
    await add(taken)
    const ended = await Promise.allSettled(
      others.flatMap((id, n) => (n % 3 === 1 ? [id, taken] : [id])).map(add),
    )
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(3)
    const ids = [taken, ...others].toSorted()
    expect(await recordsOf(app.db, 'added')).toEqual(ids)
    const rows = await app.db.sql.all<{ id: string }>('select id from feedback order by id')
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })
})

async function recordsOf({ sql }: Database, action: string): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'select resource_id as id from audit_records where action = ? order by resource_id',
    [action],
  )
  return rows.map(({ id }) => id)
}
