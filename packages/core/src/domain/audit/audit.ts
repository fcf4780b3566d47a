import { auditRow, command } from '../command.ts'
import type { AuditEntry, Ctx } from '../context.ts'
import { AuditRecord } from './entities.ts'

/** Writes the record of an act that wrote none in its own transaction. */
export async function record(ctx: Ctx, entry: AuditEntry): Promise<void> {
  await command(ctx, async (cmd) => {
    cmd.em.create(AuditRecord, auditRow(cmd, entry))
  })
}
