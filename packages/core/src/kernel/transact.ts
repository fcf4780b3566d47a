import { setTimeout as pause } from 'node:timers/promises'
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { UnitOptions } from '../platform/database/database.ts'
import { type NewRow, newRow } from '../platform/database/new-rows.ts'
import type { NewEvent } from '../platform/events/events.ts'
import type { NewJob } from '../platform/jobs/jobs.ts'
import { redact } from '../platform/redact.ts'
import { type AuditEntry, type Ctx, signals, type Transaction } from './context.ts'
import { AuditRecord } from './entities.ts'
import { DomainError } from './errors.ts'
import { toNewEvent } from './events.ts'
import { commitClaim } from './idempotency-queries.ts'
import { toNewJob } from './jobs.ts'

const takeoverMessage = 'This took too long: a repeated request has taken the Idempotency-Key over'

const deadlockCodes = new Set(['40P01', '40001'])

/**
 * In ms, times the attempt. The database gives a released lock to the next one that requests it: without this pause, the
 * same act could take it before the other one wakes, and both would lock each other out again.
 */
const lockedOutPauseMs = 10

/**
 * Runs `work` as one command: one flush, one transaction. The change, its audit row, its events and its jobs commit
 * together or not at all, and so does the mark on the request's idempotency key. Inside another command it joins that one.
 * Two acts that lock each other out are both tried again, so `work` must touch nothing outside of the database.
 * @param options how the database executes it
 * @throws DomainError `CONFLICT` when the request held its idempotency key for too long
 */
export async function transact<T>(
  ctx: Ctx,
  work: (txn: Transaction) => Promise<T>,
  options?: UnitOptions,
): Promise<T> {
  if ('em' in ctx) return work(ctx as Transaction)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit(ctx, work, options)
    } catch (error) {
      if (attempt === 5 || !deadlockCodes.has((error as { code?: string }).code ?? '')) throw error
      await pause(lockedOutPauseMs * attempt)
    }
  }
}

async function commit<T>(
  ctx: Ctx,
  work: (txn: Transaction) => Promise<T>,
  options?: UnitOptions,
): Promise<T> {
  const { jobs, events, wakeDispatcher } = ctx.services
  const newEvents: NewEvent[] = []
  const newJobs: NewJob[] = []
  const newRows: NewRow[] = []
  const told = new Map<string, [channel: string, payload: string]>()
  let audited = false
  let awaited = false
  let due = false
  const result = await ctx.db.unitOfWork(
    ctx.scope,
    async (em, tx) => {
      const insert: Transaction['insert'] = (entity, values) =>
        void newRows.push(requireScope(ctx, newRow(entity, values)))
      const audit = (entry: AuditEntry) => {
        insert(AuditRecord, auditRow(ctx, entry))
        audited = true
      }
      const txn: Transaction = {
        ...ctx,
        em,
        tx,
        sql: tx,
        audit,
        insert,
        emit: (event, happening) => {
          newEvents.push(toNewEvent(event, happening))
          awaited ||= event.awaited
        },
        enqueue: (job, order) => void newJobs.push(toNewJob(job, order)),
        signal: (name, payload = '') => void told.set(`${name} ${payload}`, [signals[name], payload]),
      }
      const value = await work(txn)
      if (ctx.trace.claim && !(await commitClaim(tx, ctx.trace.claim)))
        throw new DomainError('CONFLICT', takeoverMessage)
      const queued = await jobs.prepare(tx, newJobs)
      due = queued.due
      for (const [channel, payload] of told.values()) await ctx.db.notify(tx, channel, payload)
      // Last before the commit, so that events are in the order of the commits that depend on each other.
      await ctx.db.flush(em, tx, [...newRows, ...queued.rows, ...events.toRows(newEvents)])
      return value
    },
    options,
  )
  if (audited) ctx.trace.audited = true
  const telling = awaited ? events.tell() : undefined
  if (newEvents.length > 0 && !awaited) events.wakeUp()
  if (due) jobs.wakeUp()
  wakeDispatcher()
  await telling
  return result
}

/** @throws Error for a row of a tenant that the command must not write, as a flush does */
function requireScope({ scope }: Ctx, row: NewRow): NewRow {
  const tenantId = (row.values['tenantId'] ?? null) as string | null
  if (scope === 'all' || tenantId === null || scope.includes(tenantId)) return row
  throw new Error(`${row.entity.meta.className} of another tenant must not be written here`)
}

/** The record of an act as the contract words it. */
function auditRow(ctx: Ctx, entry: AuditEntry) {
  const { trace, actor, clock } = ctx
  const now = clock.date()
  return {
    id: ctx.newId(),
    requestId: trace.requestId,
    tenantId: entry.tenantId === undefined ? (actor.tenantId ?? null) : entry.tenantId,
    actorId: actor.type === 'agent' ? `agent:${actor.id}` : actor.id,
    actorType: actor.type,
    impersonating: actor.impersonating ?? null,
    assistant: trace.assistant ?? null,
    consent: trace.consent ?? null,
    surface: trace.surface,
    method: trace.method,
    path: trace.path,
    action: entry.action ?? trace.action ?? `${trace.surface}.${trace.method.toLowerCase()}`,
    resourceType: entry.resourceType,
    resourceId: entry.resourceId ?? null,
    // Services leave secrets out; what one forgets is cut here.
    before: redact(entry.before ?? null),
    after: redact(entry.after ?? null),
    status: trace.status ?? 200,
    durationMs: Math.max(0, Math.round(now.getTime() - trace.startedAt)),
    createdAt: now,
  }
}

/** Writes the record of an act that wrote none in its own transaction. */
export async function record(ctx: Ctx, entry: AuditEntry): Promise<void> {
  // What is part of a command commits with it, and so does the mark on the key of a request.
  if ('em' in ctx || ctx.trace.claim) return transact(ctx, async (txn) => txn.audit(entry))
  await ctx.db.add(requireScope(ctx, newRow(AuditRecord, auditRow(ctx, entry))))
}

/**
 * Writes what a command has made so far. What was looked for and not found may be there in the meantime: a unique index
 * then decides, and the one who comes second is refused as if it had been found.
 * @throws `taken` when a row breaks a unique index
 */
export async function flushOnce(txn: Transaction, taken: Error): Promise<void> {
  try {
    await txn.em.flush()
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? taken : error
  }
}
