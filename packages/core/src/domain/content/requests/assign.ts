import { actorName } from '../../actor.ts'
import type { Command } from '../../context.ts'
import { type Assignee, RequestAssignment, type RequestRow } from './entities.ts'

/** Says who is to make what was asked for, and keeps it in the history. */
export function noteAssignee(cmd: Command, request: RequestRow, assignee: Assignee): void {
  request.assignee = assignee
  cmd.em.create(RequestAssignment, {
    id: cmd.newId(),
    tenantId: request.tenantId,
    requestId: request.id,
    assignee,
    byId: cmd.actor.id,
    byName: actorName(cmd),
    at: cmd.clock.date(),
  })
}
