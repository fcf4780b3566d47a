import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { type EventOf, followEvents, readEvents } from '../../../kernel/events.ts'
import { transact } from '../../../kernel/transact.ts'
import { redact } from '../../../platform/redact.ts'
import { createSpacing } from '../../../platform/spacing.ts'
import { WebhookMark, webhookDefinitions } from './entities.ts'
import { activeReceivers, ensureMark, lastEvent, type Receiver } from './queries.ts'
import { queueMessage } from './queue.ts'

const batch = 200
/** Between two rounds while there is always something. */
const roundMs = 20

/**
 * Makes what has happened since the last round into messages to those who want to be told: each event once, whatever process
 * is killed when, because the mark moves in the transaction of the messages. Any number of processes may do it.
 */
export async function fanOut(ctx: Ctx): Promise<void> {
  let full = true
  while (full) full = (await activeReceivers(ctx)).length > 0 && (await transact(ctx, takeBatch))
}

/** @returns whether there may be more */
async function takeBatch(txn: Transaction): Promise<boolean> {
  await ensureMark(txn.tx)
  const mark = await txn.em.findOneOrFail(WebhookMark, { id: 1 }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  // Asked before who is there: anyone who is added from now on is told of what comes after this number, by the next round.
  const last = await lastEvent(txn.tx)
  const receivers = await activeReceivers(txn)
  if (receivers.length === 0) return false
  const after = Math.max(mark.seq, Math.min(...receivers.map(({ sinceSeq }) => sinceSeq)))
  const tenants = [...new Set(receivers.map(({ tenantId }) => tenantId))]
  const how = { after, limit: batch, sql: txn.tx }
  const found = await readEvents(txn.services.events, webhookDefinitions, { tenants }, how)
  const events = found.filter(({ seq }) => seq <= last)
  for (const event of events) tell(txn, receivers, event)
  const full = events.length === batch
  mark.seq = Math.max(mark.seq, (full ? events.at(-1)?.seq : undefined) ?? last)
  return full
}

type WebhookEventRead = EventOf<(typeof webhookDefinitions)[number]>

function tell(txn: Transaction, receivers: readonly Receiver[], event: WebhookEventRead): void {
  const { type } = event
  const wanting = receivers.filter(
    ({ tenantId, eventTypes, sinceSeq }) =>
      tenantId === event.tenantId && event.seq > sinceSeq && eventTypes.includes(type),
  )
  const message = { messageId: txn.newId(), type, at: event.at, data: redact(event.data) }
  for (const receiver of wanting) queueMessage(txn, receiver, message)
}

/** Does the round as soon as something has happened; the round itself, which is done anyway, finds what this misses. */
export function createFanOut(ctx: Ctx): { start(): Promise<void>; stop(): Promise<void> } {
  let again = false
  let running: Promise<void> | undefined
  let unfollow: (() => void) | undefined
  const pace = createSpacing()
  const wakeUp = () => {
    again = true
    running ??= rounds()
      .catch((error: unknown) => ctx.log.warn('webhooks could not be told of events', { error }))
      .finally(() => (running = undefined))
  }
  const rounds = async () => {
    while (again) {
      await pace(roundMs)
      again = false
      await fanOut(ctx)
    }
  }
  return {
    async start() {
      const follower = { event: wakeUp, resync: wakeUp }
      unfollow = await followEvents(
        ctx.services.events,
        webhookDefinitions,
        { tenants: 'all' },
        undefined,
        follower,
      )
      wakeUp()
    },
    async stop() {
      unfollow?.()
      again = false
      await running
    },
  }
}
