import type { Command } from '../context.ts'

/** Numbers of a period's pieces that are not planned yet. All steps of a piece are opened together, so a piece is either there or missing. */
export async function missingPieces(
  cmd: Command,
  period: { id: string; tenantId: string; target: number },
): Promise<number[]> {
  const rows = await cmd.tx.all<{ piece: number }>(
    'select distinct piece from activities where period_id = ? and tenant_id = ?',
    [period.id, period.tenantId],
  )
  const there = new Set(rows.map(({ piece }) => piece))
  return Array.from({ length: period.target }, (_, index) => index + 1).filter((piece) => !there.has(piece))
}
