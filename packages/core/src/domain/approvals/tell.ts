import type { Command } from '../context.ts'
import type { ApprovalRow } from './entities.ts'

/** Tells those who watch that nobody has to decide on this any more. */
export function tellResolved(cmd: Command, approval: ApprovalRow): void {
  cmd.emit({
    tenantId: approval.tenantId,
    type: 'approval_resolved',
    subject: approval.id,
    data: {
      approvalId: approval.id,
      type: approval.type,
      status: approval.status,
      resolution: approval.resolution,
      ...(approval.replacedBy && { replacedBy: approval.replacedBy }),
    },
  })
}
