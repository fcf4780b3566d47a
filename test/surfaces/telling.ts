import { assemble } from '../../packages/core/src/assemble.ts'
import { command } from '../../packages/core/src/domain/command.ts'
import { type NewNotification, notify } from '../../packages/core/src/domain/notifications/notify.ts'
import type { TestApp } from '../kit/app.ts'

/** What somebody is told. */
export type Told = NewNotification

/** Tells people something, as a command of the installation does. */
export async function tell(
  app: TestApp,
  told: Pick<Told, 'tenantId' | 'to' | 'title'> & Partial<Told>,
): Promise<void> {
  const { tenantId } = told
  const instance = await assemble(app.options)
  const ctx = { ...instance.system(), scope: [tenantId] }
  await command(ctx, (cmd) =>
    notify(cmd, {
      type: 'approval_created',
      body: 'Look at it.',
      subjectKind: 'approvals',
      subjectId: cmd.newId(),
      ...told,
    }),
  )
  await instance.close()
}
