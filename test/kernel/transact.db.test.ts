import { describe, expect, it } from 'vitest'
import { budgetAlert } from '../../packages/core/src/domain/work/runs/events.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import { parts } from '../domain/agents.ts'
import { createTestApp } from '../kit/app.ts'
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
})
