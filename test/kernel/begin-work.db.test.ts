import { describe, expect, it } from 'vitest'
import { createCopydesk } from '../../packages/core/src/index.ts'
import { createTestApp } from '../kit/app.ts'
import { patience } from '../kit/job-queues.ts'

describe('an instance that starts without its work', () => {
  it('serves, keeps jobs for later, and does them once it is told to', async () => {
    await using app = await createTestApp({ worker: false })
    const options = { ...app.options, worker: { concurrency: 4 } }
    const mails = async () => {
      const rows = await app.db.sql.all<{ status: string }>(
        "select status from job where kind = 'mail.invitation'",
      )
      return rows.map(({ status }) => status)
    }
    const first = await createCopydesk(options)
    try {
      await first.start({ work: 'later' })
      const health = await first.fetch(new Request('http://copydesk.test/health/ready'))
      expect(health.status).toBe(200)
      const { tenantId } = await app.team()
      await first.asSystem().invitations.create({ email: 'new@test.example', role: 'member', tenantId })
    } finally {
      // An instance that works is woken by a new job, and ends what it has begun before it stops.
      await first.stop()
    }
    expect(await mails()).toEqual(['waiting'])
    const second = await createCopydesk(options)
    try {
      await second.start({ work: 'later' })
      await Promise.all([second.work(), second.work()])
      await expect.poll(mails, patience).toEqual(['done'])
    } finally {
      await second.stop()
    }
    await second.work()
  })

  it('has no work where it is not to do any', async () => {
    await using app = await createTestApp({ worker: false })
    await app.copydesk.work()
    expect(await app.db.sql.all('select id from job where lease_until is not null')).toEqual([])
  })
})
