import type { NewEvent } from '../platform/events/events.ts'
import type { NewJob } from '../platform/jobs/jobs.ts'
import { redact } from '../platform/redact.ts'
import { AuditRecord } from './audit/entities.ts'
import type { AuditEntry, Command, Ctx } from './context.ts'
import { DomainError } from './errors.ts'
import { commitClaim } from './identity/idempotency-queries.ts'
import { signals } from './signals.ts'

const takenOver = 'This took too long: a repeated request has taken the Idempotency-Key over'

const deadlocks = new Set(['40P01', '40001'])

/**
 * Runs `work` as one command: one flush, one transaction. The change, its audit row, its events and its jobs commit
 * together or not at all, and so does the mark on the request's idempotency key. Inside another command it joins that one.
 * Two acts that lock each other out are both tried again, so `work` must touch nothing outside of the database.
 * @throws DomainError `CONFLICT` when the request held its idempotency key for too long
 */
export async function command<T>(ctx: Ctx, work: (cmd: Command) => Promise<T>): Promise<T> {
  if ('em' in ctx) return work(ctx as Command)
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await commit(ctx, work)
    } catch (error) {
      if (attempt === 5 || !deadlocks.has((error as { code?: string }).code ?? '')) throw error
    }
  }
}

async function commit<T>(ctx: Ctx, work: (cmd: Command) => Promise<T>): Promise<T> {
  const { jobs, events, wakeDispatcher } = ctx.services
  const newEvents: NewEvent[] = []
  const newJobs: NewJob[] = []
  const told = new Map<string, [channel: string, payload: string]>()
  let audited = false
  const result = await ctx.db.unitOfWork(ctx.scope, async (em, tx) => {
    const audit = (entry: AuditEntry) => {
      em.create(AuditRecord, auditRow(ctx, entry))
      audited = true
    }
    const cmd: Command = {
      ...ctx,
      em,
      tx,
      audit,
      emit: (event) => void newEvents.push(event),
      enqueue: (job) => void newJobs.push(job),
      signal: (name, payload = '') => void told.set(`${name} ${payload}`, [signals[name], payload]),
    }
    const value = await work(cmd)
    await em.flush()
    if (ctx.trace.claim && !(await commitClaim(tx, ctx.trace.claim)))
      throw new DomainError('CONFLICT', takenOver)
    if (newJobs.length > 0) await jobs.enqueue(tx, newJobs)
    for (const [channel, payload] of told.values()) await ctx.db.notify(tx, channel, payload)
    // Last before the commit: the numbers of events become visible in their order.
    if (newEvents.length > 0) await events.append(tx, newEvents)
    return value
  })
  if (audited) ctx.trace.audited = true
  if (newEvents.length > 0) events.poke()
  if (newJobs.length > 0) jobs.poke()
  wakeDispatcher()
  return result
}

/** The record of an act as the contract words it. */
export function auditRow(ctx: Ctx, entry: AuditEntry) {
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
