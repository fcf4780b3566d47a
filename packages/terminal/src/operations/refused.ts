import { ApiError } from '@copydesk/client'
import { LineFault, spoken } from './line.ts'
import { ofField } from './of-field.ts'
import type { Named } from './operation.ts'

/** What fields of requests are called where somebody types them. */
const typedAs: Readonly<Record<string, string>> = {
  startDate: 'from',
  endDate: 'to',
  groupBy: 'by',
  newRiskLevel: 'risk',
  selectedOption: 'option',
  contentHash: 'hash',
  endWork: 'end',
}

/**
 * What a server refused for a field of the request, as a fault of what was typed for it: `--tenant must be a ULID`, where the
 * request has `tenantId`. Everything else is passed on as it is.
 */
export function asTyped({ takes }: Named, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400 || !error.field) return error
  const name = error.field
    .split('.')
    .flatMap((part) => [part, typedAs[part] ?? part.replace(/Id$/, '')])
    .findLast((part) => part in takes)
  const parameter = name === undefined ? undefined : takes[name]
  if (name === undefined || parameter === undefined) return error
  return new LineFault(ofField(spoken(name, parameter), error.message), name)
}
