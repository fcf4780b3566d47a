import { actorName } from '../actor.ts'
import type { Command } from '../context.ts'
import { ActivityLogEntry } from './entities.ts'

export interface LogLine {
  /** For example `status`, `run`, `verdict`, `comment`, `blocker`. */
  kind: string
  message: string
  runId?: string
  data?: Record<string, unknown>
}

/** Adds one line to what people can read about an activity's life, in the transaction of what happened. */
export function logActivity(cmd: Command, activity: { id: string; tenantId: string }, line: LogLine): void {
  cmd.em.create(ActivityLogEntry, {
    id: cmd.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    at: cmd.clock.date(),
    kind: line.kind,
    actor: actorName(cmd),
    message: line.message,
    runId: line.runId ?? null,
    data: line.data ?? null,
  })
}
