import type { z } from 'zod'
import { instantRange, isInstantInRange } from '../platform/wire.ts'
import { DomainError, invalid } from './errors.ts'

type Issue = z.core.$ZodIssue

/**
 * Checks and decodes a value.
 * @param prefix put before the names of fields
 * @throws DomainError `VALIDATION_ERROR` that names the first failing field in dotted form; all are in `details.issues`
 */
export function check<S extends z.ZodType>(schema: S, value: unknown, prefix = ''): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw refusal(result.error.issues, prefix)
}

/**
 * Holds an instant that a program gives to the bounds that requests are held to.
 * @throws DomainError `VALIDATION_ERROR` on `field`
 */
export function checkInstant(field: string, date: Date | null | undefined): void {
  if (date && !isInstantInRange(date.getTime())) throw invalid(field, instantRange)
}

function refusal(issues: readonly Issue[], prefix: string): DomainError {
  const faults = issues.slice(0, 20).map((issue) => faultOf(issue, prefix === '' ? [] : [prefix]))
  const first = faults[0] as Fault
  if (faults.length === 1) return invalid(first.field, first.message)
  return new DomainError('VALIDATION_ERROR', first.message, {
    field: first.field,
    details: { issues: faults },
  })
}

/** A field and what is wrong with it: the message does not name it once more. */
interface Fault {
  field: string
  message: string
}

function faultOf(issue: Issue, base: readonly PropertyKey[]): Fault {
  const path = [...base, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // Of all forms that were tried, the one that fails deepest is the one that was meant.
    const deepest = issue.errors
      .map((branch) => branch.toSorted((a, b) => b.path.length - a.path.length)[0])
      .filter((inner) => inner !== undefined)
      .toSorted((a, b) => b.path.length - a.path.length)[0]
    if (deepest && deepest.path.length > 0) return faultOf(deepest, path)
  }
  if (issue.code === 'unrecognized_keys') {
    const field = [...path, issue.keys[0] ?? ''].map(String).join('.')
    return { field, message: 'There is no such field' }
  }
  const field = path.map(String).join('.')
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return { field, message: isMissing ? 'Is required' : issue.message }
}
