import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, row, span, tableOf } from '../paper/row.ts'
import { usd } from '../paper/words.ts'
import { cursor, limit, more } from './paging.ts'
import { operation } from './operation.ts'

export type Tenant = Reply<'cli', 'GET /tenants'>['data'][number]

/** The columns in which tenants are listed, on paper and on the screen. */
export const tenantColumns: ReadonlyArray<Column<Tenant>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'name', cell: ({ name }) => name, least: 12 },
  { title: 'plan', cell: ({ plan }) => plan, tone: () => 'dim', least: 4 },
  {
    title: 'status',
    cell: ({ status }) => status,
    tone: ({ status }) => (status === 'suspended' || status === 'cancelled' ? 'bad' : 'plain'),
  },
  { title: 'month', cell: ({ monthlySpendUsd }) => usd(monthlySpendUsd), align: 'right' },
  {
    title: 'cap',
    cell: ({ spendCapUsd }) => (spendCapUsd === null ? '·' : usd(spendCapUsd)),
    align: 'right',
  },
]

export const tenants = operation({
  name: 'tenants',
  summary: 'list the tenants that you look after',
  does: 'reads',
  takes: {
    search: { kind: 'text', value: 'text', summary: 'words of the name or the domain' },
    limit,
    cursor,
  },
  examples: ['tenants', 'tenants --search hearth'],
  run: (desk, query) => desk.client.call('cli', 'GET /tenants', { query }),
  print: (found, { width }) =>
    found.data.length === 0
      ? [row(span('No tenant.', 'dim'))]
      : [...tableOf(tenantColumns, found.data, width), ...more(found)],
})

export const impersonate = operation({
  name: 'impersonate',
  summary: 'get a link to see the dashboard as an admin of the tenant does, to read only',
  does: 'steers',
  takes: { tenant: { kind: 'argument', required: true, summary: tenantNaming, completes: 'tenant' } },
  examples: ['impersonate 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, { tenant }) => desk.client.call('cli', 'POST /impersonate', { body: { tenantId: tenant } }),
  secret: true,
  print: ({ impersonationToken, dashboardUrl }) => [
    row('dashboard  ', span(dashboardUrl, 'accent')),
    row('token      ', impersonationToken),
    row(span('It reads only, for 30 minutes, and stands in the tenant’s audit record.', 'dim')),
  ],
})
