import type { Ctx } from '../context.ts'
import { accountById } from '../identity/account-queries.ts'
import { type MailPayload, post } from '../mail/post.ts'

/** Tells a super-admin that the free tenants have used up their budget. The job `mail.free_pool`. */
export async function mailFreePool(
  ctx: Ctx,
  payload: MailPayload & { userId: string; limitUsd: number },
  signal: AbortSignal,
): Promise<void> {
  const account = await accountById(ctx.sql, payload.userId)
  if (!account || account.status !== 'active' || account.role !== 'super_admin') return
  const letter = {
    greeting: `Hello ${account.name},`,
    paragraphs: [
      `The tenants on free plans have used up what they may spend together this month, $${payload.limitUsd}. Their runs are blocked until the next month, and their admins are told.`,
      'To let them go on, raise freeTenants.monthlyUsd in the configuration and restart; the activities are then retried by their people.',
    ],
  }
  const subject = 'The budget of the free plans is used up'
  await post(ctx, payload, { to: account.email, subject, letter }, signal)
}
