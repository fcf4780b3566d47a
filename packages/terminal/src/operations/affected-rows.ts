import { row, type StyledLine, span } from '../render/row.ts'
import type { OperationContext } from './operation.ts'

/** The approvals that an operation affects. */
export async function approvalRows(
  { client }: OperationContext,
  ids: readonly string[],
): Promise<StyledLine[]> {
  const found = await Promise.all(
    ids.map((id) => client.call('cli', 'GET /approvals/:id', { params: { id } })),
  )
  return found.map(({ title, tenantName, riskLevel }) =>
    row(
      span(`${riskLevel}  `, riskLevel === 'high' ? 'bad' : 'dim'),
      span(title, 'strong'),
      ` · ${tenantName}`,
    ),
  )
}

/** The activity that an operation affects. */
export async function activityRow({ client }: OperationContext, id: string): Promise<StyledLine> {
  const { title, tenantName, status } = await client.call('cli', 'GET /activities/:id', { params: { id } })
  return row(span(title, 'strong'), ` · ${tenantName}, ${status}`)
}
