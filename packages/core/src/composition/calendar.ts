import { Cron } from 'croner'
import { lastSlot, takeSlot } from '../kernel/calendar-queries.ts'
import type { Ctx } from '../kernel/context.ts'
import { transact } from '../kernel/transact.ts'
import type { Assembled } from './assemble.ts'
import { type CalendarJob, calendarJobs } from './jobs.ts'

/** Asks for the jobs of the calendar when they are due. */
export interface Calendar {
  start(): void
  stop(): Promise<void>
}

/** What slows the start of a server down has time until its first requests are answered. */
const startAfterMs = 1_000

/** What Bree could not say in time, for want of memory for example, is asked for after so long at the most. */
const makeUpEveryMs = 600_000

export function createCalendar({ bree, clock, log, system }: Assembled): Calendar {
  const asking = new Set<Promise<void>>()
  const ask = (job: CalendarJob) => {
    const asked = askForDue(system(), job)
      .catch((error: unknown) => log.error(`${job.kind} was due and could not be asked for`, { error }))
      .finally(() => asking.delete(asked))
    asking.add(asked)
    return asked
  }
  const onDue = (kind: string) => {
    for (const job of calendarJobs) if (job.kind === kind) void ask(job)
  }
  let cancel = () => undefined as void
  let opening: Promise<void> | undefined
  let stopped = false
  const makeUp = async () => {
    await Promise.all(calendarJobs.map(ask))
    if (!stopped) cancel = clock.after(makeUpEveryMs, () => void makeUp())
  }
  return {
    start() {
      cancel = clock.after(startAfterMs, () => {
        // What was due while no process was running is caught up, once.
        void makeUp()
        opening = bree
          .schedule(
            calendarJobs.map(({ kind, cron }) => ({ name: kind, cron })),
            onDue,
          )
          .catch((error: unknown) => log.error('the calendar could not be started', { error }))
      })
    },
    async stop() {
      stopped = true
      cancel()
      await opening
      await bree.stop()
      await Promise.all(asking)
    },
  }
}

/**
 * Asks for a job whose last slot has not been taken yet: any number of processes may do it, one of them succeeds. What was due
 * before the installation first knew the job is not caught up.
 */
export async function askForDue(ctx: Ctx, job: CalendarJob): Promise<void> {
  const now = ctx.clock.date()
  // Slots are whole minutes, and "previous" does not count the instant itself.
  const [due] = new Cron(job.cron, { timezone: 'UTC' }).previousRuns(1, new Date(now.getTime() + 1_000))
  const last = await lastSlot(ctx.sql, job.kind)
  if (!due || (last && last >= due)) return
  await transact(ctx, async (txn) => {
    const taken = await takeSlot(txn.tx, job.kind, due)
    if (taken && last) txn.enqueue(job, { tenantId: null, payload: {}, uniqueKey: job.kind })
  })
}
