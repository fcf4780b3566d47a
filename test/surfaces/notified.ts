import { assemble } from '../../packages/core/src/composition/assemble.ts'
import { type NewNotification, notify } from '../../packages/core/src/domain/people/notifications/notify.ts'
import { transact } from '../../packages/core/src/kernel/transact.ts'
import type { TestApp } from '../kit/app.ts'

/** The notifications of a user. */
export type Told = NewNotification

/** Notifies users, like a service of the instance. */
export async function tell(
  app: TestApp,
  told: Pick<Told, 'tenantId' | 'to' | 'title'> & Partial<Told>,
): Promise<void> {
  const { tenantId } = told
  const instance = await assemble(app.options)
  const ctx = { ...instance.system(), scope: [tenantId] }
  await transact(ctx, (txn) =>
    notify(txn, {
      type: 'approval_created',
      body: 'Look at it.',
      subjectKind: 'approvals',
      subjectId: txn.newId(),
      ...told,
    }),
  )
  await instance.close()
}
