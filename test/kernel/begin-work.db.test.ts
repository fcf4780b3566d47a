import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createCopydesk } from '../../packages/core/src/index.ts'
import { createTestApp } from '../kit/app.ts'
import { patience } from '../kit/job-queues.ts'

describe('an instance that starts without its work', () => {
  it('serves, keeps jobs for later, and does them once it is told to', async () => {
    await using app = await createTestApp({ worker: false })
    const copydesk = await createCopydesk({ ...app.options, worker: { concurrency: 4 } })
    try {
      await copydesk.start({ work: 'later' })
      const health = await copydesk.fetch(new Request('http://copydesk.test/health/ready'))
      expect(health.status).toBe(200)
      const { tenantId } = await app.team()
      const { email } = await copydesk
        .asSystem()
        .invitations.create({ email: 'new@test.example', role: 'member', tenantId })
      expect(email).toBe('new@test.example')
      const mails = async () => {
        const rows = await app.db.sql.all<{ status: string }>(
          "select status from job where kind = 'mail.invitation'",
        )
        return rows.map(({ status }) => status)
      }
      await wait(100)
      expect(await mails()).toEqual(['waiting'])
      await Promise.all([copydesk.work(), copydesk.work()])
      await expect.poll(mails, patience).toEqual(['done'])
    } finally {
      await copydesk.stop()
    }
    await copydesk.work()
  })

  it('has no work where it is not to do any', async () => {
    await using app = await createTestApp({ worker: false })
    await app.copydesk.work()
    expect(await app.db.sql.all('select id from job where lease_until is not null')).toEqual([])
  })
})
