import { firstIdAt } from '../platform/clock.ts'
import { ConnectAttempt } from './channels/entities.ts'
import { deleteConsentsBefore } from './consents/queries.ts'
import type { Ctx } from './context.ts'
import { shownMs } from './feed/policy.ts'
import { pruneMarks } from './feed/queries.ts'
import { PasswordReset, Session } from './identity/entities.ts'
import { deleteExpired } from './identity/idempotency-queries.ts'
import { KnownLogin } from './identity/known-logins-entity.ts'
import { knownDays } from './identity/login-limit.ts'
import { mailDay } from './mail/outside.ts'
import { deleteCountsBefore } from './mail/outside-queries.ts'
import { deleteToldBefore, keptDays as notificationDays } from './notifications/inbox-queries.ts'
import { deleteIntentsBefore } from './push/intent-queries.ts'
import { Registration } from './identity/registration-entity.ts'
import { Webhook, WebhookDelivery } from './webhooks/entities.ts'
import { BudgetAlert } from './runs/alert-entity.ts'

const dayMs = 86_400_000

/** How long what is over stays: jobs that are done, events for clients that come back, messages to webhooks, and the
 * working folders of runs that have failed, days. */
const keptDays = { jobs: 7, events: 30, deliveries: 30, folders: 3 }

/** Removes what nobody can ask for any more. Several processes may do it at once. */
export async function cleanUp(ctx: Ctx): Promise<void> {
  const now = ctx.clock.now()
  const { jobs, events } = ctx.services
  const forgotten = new Date(now - notificationDays * dayMs)
  const removed = {
    jobs: await jobs.prune(new Date(now - keptDays.jobs * dayMs)),
    events: await events.prune(new Date(now - keptDays.events * dayMs)),
    sessions: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(Session, { expiresAt: { $lt: new Date(now) } }),
    ),
    resets: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(PasswordReset, { expiresAt: { $lt: new Date(now) } }),
    ),
    networks: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(KnownLogin, { usedOn: { $lt: new Date(now - knownDays * dayMs) } }),
    ),
    registrations: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(Registration, { createdOn: { $lt: new Date(now - dayMs) } }),
    ),
    attempts: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(ConnectAttempt, { expiresAt: { $lt: new Date(now) } }),
    ),
    deliveries: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(WebhookDelivery, {
        id: { $lt: firstIdAt(new Date(now - keptDays.deliveries * dayMs)) },
        status: { $ne: 'pending' },
      }),
    ),
    secrets: await ctx.db.unitOfWork('all', (em) =>
      em.nativeUpdate(
        Webhook,
        { previousUntil: { $lte: new Date(now) } },
        { previousSecretSealed: null, previousUntil: null },
      ),
    ),
    marks: await ctx.db.write((tx) => pruneMarks(tx, new Date(now - shownMs - dayMs))),
    alerts: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(BudgetAlert, { raisedOn: { $lt: new Date(now - shownMs) } }),
    ),
    notifications: await ctx.db.write((tx) => deleteToldBefore(tx, forgotten)),
    pushes: await ctx.db.write((tx) => deleteIntentsBefore(tx, forgotten)),
    folders: await ctx.services.commands.folders.prune(new Date(now - keptDays.folders * dayMs)),
    mailCounts: await ctx.db.write((tx) => deleteCountsBefore(tx, mailDay(new Date(now - dayMs)))),
    consents: await ctx.db.write((tx) => deleteConsentsBefore(tx, new Date(now - dayMs))),
    answers: await ctx.db.write((tx) => deleteExpired(tx, new Date(now))),
  }
  ctx.log.debug('cleaned up', removed)
}
