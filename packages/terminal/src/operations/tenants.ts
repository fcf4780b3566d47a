import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { type Column, row, span, tableOf } from '../render/row.ts'
import { usd } from '../render/words.ts'
import { operation } from './operation.ts'
import { cursor, limit, more } from './paging.ts'

export type Tenant = Reply<'cli', 'GET /tenants'>['data'][number]

/** The columns of lists of tenants, in commands and on the screen. */
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
  summary: 'list your tenants',
  effect: 'reads',
  params: {
    search: { kind: 'text', value: 'text', summary: 'words of the name or the domain' },
    limit,
    cursor,
  },
  examples: ['tenants', 'tenants --search hearth'],
  run: (context, query) => context.client.call('cli', 'GET /tenants', { query }),
  print: (found, { width }) =>
    found.data.length === 0
      ? [row(span('No tenants.', 'dim'))]
      : [...tableOf(tenantColumns, found.data, width), ...more(found)],
})

export const impersonate = operation({
  name: 'impersonate',
  summary: 'get a link for read-only access to the dashboard of a tenant, as its admin',
  effect: 'steers',
  params: { tenant: { kind: 'argument', required: true, summary: tenantNaming, completes: 'tenant' } },
  examples: ['impersonate 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, { tenant }) =>
    context.client.call('cli', 'POST /impersonate', { body: { tenantId: tenant } }),
  secret: true,
  print: ({ impersonationToken, dashboardUrl }) => [
    row('dashboard  ', span(dashboardUrl, 'accent')),
    row('token      ', impersonationToken),
    row(span('It is read-only, expires after 30 minutes, and is recorded in the tenant’s audit log.', 'dim')),
  ],
})
