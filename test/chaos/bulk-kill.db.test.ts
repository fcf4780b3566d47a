import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { asNumber } from '../kit/columns.ts'
import { openTestDatabase } from '../kit/database.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { logIn, type SeededTenant, seedTenants } from './seed.ts'

const count = 500
const kills = 3

describe('cli.approvals.bulk_resolve', () => {
  it(`decides ${count} once each, though its server is killed in the middle ${kills} times`, {
    timeout: 300_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    const [tenant] = (await seedTenants(installation, 1)) as [SeededTenant]
    const ids = await fillReviewQueue(db, tenant.tenantId, count)
    // It only takes requests: what the verdicts have woken is counted, and no one works it off.
    let server = await startMember('web', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    const reviewer = await logIn(installation.baseUrl, tenant.reviewer, 'dm-portal')
    const ask = () =>
      reviewer.call('cli', 'POST /approvals/bulk-resolve', { body: { action: 'approve', ids } })
    const number = async (text: string) =>
      asNumber((await db.sql.get<{ n: unknown }>(`select count(*) as n from ${text}`))?.n)
    const decided = () => number(`approvals where status = 'approved'`)

    const reached: number[] = []
    for (let kill = 1; kill <= kills; kill += 1) {
      const asked = ask().then(
        () => 'answered',
        () => 'cut off',
      )
      const wanted = (count / (kills + 1)) * kill
      while ((await decided()) < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
      await endMember(server, 'SIGKILL')
      expect(await asked).toBe('cut off')
      reached.push(await decided())
      server = await startMember('web', port, installation)
    }
    const before = reached.at(-1) as number
    expect(before).toBeLessThan(count)

    const receipt = await ask()
    const results = (wanted: string) => receipt.items.filter(({ result }) => result === wanted).length
    expect(receipt).toMatchObject({
      dryRun: false,
      matched: count,
      resolved: count - before,
      skipped: before,
    })
    expect([results('resolved'), results('skipped'), results('error')]).toEqual([count - before, before, 0])
    expect(receipt.items.map(({ approvalId }) => approvalId)).toEqual(ids)
    expect(await ask()).toMatchObject({ matched: count, resolved: 0, skipped: count })

    expect(await decided()).toBe(count)
    const each = async (column: string, from: string) =>
      db.sql.all(`select ${column} as id, count(*) as n from ${from} group by ${column} having count(*) <> 1`)
    expect(await each('subject', `event where type = 'approval_resolved'`)).toEqual([])
    expect(await number(`event where type = 'approval_resolved'`)).toBe(count)
    expect(await each('activity_id', 'runs')).toEqual([])
    expect(await number(`runs where wake_reason = 'review_approved' and status = 'pending'`)).toBe(count)
    expect(await each('resource_id', `audit_records where action = 'approval.resolve'`)).toEqual([])
    expect(await number(`audit_records where action = 'approval.resolve'`)).toBe(count)
  })
})
