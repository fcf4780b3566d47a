import { expect, it } from 'vitest'
import { fanOut } from '../../../packages/core/src/domain/delivery/webhooks/fan-out.ts'
import { approvalExpired } from '../../../packages/core/src/domain/work/approvals/events.ts'
import { transact } from '../../../packages/core/src/kernel/transact.ts'
import { createTestApp } from '../../kit/app.ts'
import { settled } from '../../kit/events.ts'
import { parts } from '../agents.ts'

it('makes one message of each event, also of those whose commit is under way with it', async () => {
  await using app = await createTestApp({ worker: false })
  const { admin, tenantId } = await app.team()
  const body = { url: 'https://hooks.example/', eventTypes: ['approval_expired' as const] }
  await admin.call('tenant', 'POST /webhooks', { body })
  await using node = await parts(app)
  const names = Array.from({ length: 20 }, (_, i) => `approval ${i}`)
  const tell = (approvalId: string) =>
    transact(node.system(), async (txn) => {
      txn.emit(approvalExpired, {
        tenantId,
        subject: approvalId,
        data: { approvalId, type: 'content_review' },
      })
    })
  // One after another, so that each round meets one event that has just been written.
  for (const name of names) await Promise.all([tell(name), fanOut(node.system())])
  await settled(app.db)
  await fanOut(node.system())
  const messages = await app.db.sql.all<{ body: string }>('select body from webhook_deliveries')
  const told = messages.map((message) => JSON.parse(message.body).data.approvalId as string)
  expect(told.toSorted()).toEqual(names.toSorted())
})
