import type { Command } from '../../context.ts'
import { ContentRequest, type RequestRow } from './entities.ts'

/** The job that has what was asked for made; payload `{ requestId }`. */
export const startJob = 'request.start'

/** Has an approved request made once this command commits, or when its time has come. Asking twice does no harm. */
export function askToStart(cmd: Command, request: Pick<RequestRow, 'id' | 'tenantId' | 'scheduleFor'>): void {
  const { id, tenantId, scheduleFor } = request
  const later = scheduleFor && scheduleFor > cmd.clock.date() ? scheduleFor : null
  cmd.enqueue({ kind: startJob, tenantId, payload: { requestId: id }, ...(later && { runAt: later }) })
}

/** Takes up what a tenant's approved requests have waited for: a campaign has a period for them now. */
export async function startWaiting(cmd: Command, tenantId: string): Promise<void> {
  const waiting = await cmd.em.find(
    ContentRequest,
    { tenantId, status: 'approved', assignee: { $ne: 'human' } },
    { fields: ['id', 'tenantId', 'scheduleFor'], disableIdentityMap: true },
  )
  for (const request of waiting)
    if (!request.scheduleFor || request.scheduleFor <= cmd.clock.date()) askToStart(cmd, request)
}
