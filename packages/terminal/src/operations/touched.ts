import { type Row, row, span } from '../paper/row.ts'
import type { Desk } from './operation.ts'

/** The approvals that an operation is about, by what one knows them by. */
export async function approvalRows({ client }: Desk, ids: readonly string[]): Promise<Row[]> {
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

/** The activity that an operation is about. */
export async function activityRow({ client }: Desk, id: string): Promise<Row> {
  const { title, tenantName, status } = await client.call('cli', 'GET /activities/:id', { params: { id } })
  return row(span(title, 'strong'), ` · ${tenantName}, ${status}`)
}
