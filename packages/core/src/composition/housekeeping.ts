import { ConnectAttempt } from '../domain/accounts/channels/entities.ts'
import { deleteConsentsBefore } from '../domain/accounts/consents/queries.ts'
import { KnownLogin, PasswordReset, Session } from '../domain/accounts/identity/entities.ts'
import { knownDays } from '../domain/accounts/identity/login-limit.ts'
import { Registration } from '../domain/accounts/identity/registration-entity.ts'
import { deleteChatsOfLeavers } from '../domain/chat/queries.ts'
import { deleteFaultsBefore } from '../domain/delivery/leads/import/queries.ts'
import { Webhook, WebhookDelivery } from '../domain/delivery/webhooks/entities.ts'
import { retentionMs } from '../domain/insight/feed/policy.ts'
import { pruneMarks } from '../domain/insight/feed/queries.ts'
import { deleteSentBefore } from '../domain/people/mail/bounces/queries.ts'
import { deleteCountsBefore } from '../domain/people/mail/queries.ts'
import { mailDay } from '../domain/people/mail/send-email.ts'
import {
  deleteToldBefore,
  keptDays as notificationDays,
} from '../domain/people/notifications/inbox-queries.ts'
import { deleteIntentsBefore } from '../domain/people/push/intent-queries.ts'
import { BudgetAlert } from '../domain/work/runs/entities.ts'
import type { Ctx } from '../kernel/context.ts'
import { deleteExpired } from '../kernel/idempotency-queries.ts'
import { defineJob, noPayload } from '../kernel/jobs.ts'
import { firstIdAt } from '../platform/clock.ts'

const dayMs = 86_400_000

/** How long what is over stays: jobs that are done, events for clients that come back, messages to webhooks, and the
 * working folders of runs that have failed, what is known of sent mails, and lines of imports that became no leads, days. */
const keptDays = { jobs: 7, events: 30, deliveries: 30, folders: 3, mails: 90, importFaults: 90 }

/** Removes what is over, every hour. */
export const housekeepingJob = defineJob('housekeeping', noPayload, { cron: '7 * * * *' })

/** Removes what broken uploads have left in the store, once a day: all of it is looked through. */
export const tidyStorageJob = defineJob('storage.tidy', noPayload, { cron: '41 3 * * *' })

export async function tidyStorage(ctx: Ctx): Promise<void> {
  const removed = await ctx.services.blobs.tidy(new Date(ctx.clock.now() - dayMs))
  ctx.log.debug('tidied the store', { removed })
}

/** Removes what no one can ask for any more. Several processes may do it at once. */
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
    marks: await ctx.db.write((tx) => pruneMarks(tx, new Date(now - retentionMs - dayMs))),
    alerts: await ctx.db.unitOfWork('all', (em) =>
      em.nativeDelete(BudgetAlert, { raisedOn: { $lt: new Date(now - retentionMs) } }),
    ),
    notifications: await ctx.db.write((tx) => deleteToldBefore(tx, forgotten)),
    pushes: await ctx.db.write((tx) => deleteIntentsBefore(tx, forgotten)),
    folders: await ctx.services.commands.folders.prune(new Date(now - keptDays.folders * dayMs)),
    mailCounts: await ctx.db.write((tx) => deleteCountsBefore(tx, mailDay(new Date(now - dayMs)))),
    mails: await ctx.db.write((tx) => deleteSentBefore(tx, new Date(now - keptDays.mails * dayMs))),
    importFaults: await ctx.db.write((tx) =>
      deleteFaultsBefore(tx, firstIdAt(new Date(now - keptDays.importFaults * dayMs))),
    ),
    conversations: await ctx.db.write(deleteChatsOfLeavers),
    consents: await ctx.db.write((tx) => deleteConsentsBefore(tx, new Date(now - dayMs))),
    answers: await ctx.db.write((tx) => deleteExpired(tx, new Date(now))),
  }
  ctx.log.debug('cleaned up', removed)
}
