import { ApiError } from '@copydesk/client'
import { typedParameter, UsageError } from './invocation.ts'
import type { OperationBase } from './operation.ts'

/** The verb with which a server's message about a field begins: "must be a ULID". */
const goesOn = /^(?:Must|Is|Needs|Takes|Holds) /

/** The message about a field, with the name of the field once. */
export function ofField(field: string | undefined, message: string): string {
  if (!field) return message
  if (goesOn.test(message)) return `${field} ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  const names = message.split(/[^\w.-]+/).map((word) => word.toLowerCase())
  return names.includes(field.toLowerCase()) ? message : `${field}: ${message}`
}

/** The typed names of request fields. */
const typedAs: Readonly<Record<string, string>> = {
  startDate: 'from',
  endDate: 'to',
  groupBy: 'by',
  newRiskLevel: 'risk',
  selectedOption: 'option',
  contentHash: 'hash',
  endWork: 'end',
  startUrl: 'url',
  urlPathFilter: 'path',
  scheduleFor: 'at',
}

/**
 * Rephrases a server's validation error in terms of the typed parameter: `--tenant must be a ULID` for the
 * field `tenantId`. Returns other errors unchanged.
 */
export function asTyped({ params: takes }: OperationBase, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400 || !error.field) return error
  const name = error.field
    .split('.')
    .flatMap((part) => [part, typedAs[part] ?? part.replace(/Id$/, '')])
    .findLast((part) => part in takes)
  const parameter = name === undefined ? undefined : takes[name]
  if (name === undefined || parameter === undefined) return error
  return new UsageError(ofField(typedParameter(name, parameter), error.message), name)
}
