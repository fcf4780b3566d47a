import { ApiError } from '@copydesk/client'
import { UsageError } from '../operations/invocation.ts'
import { clean } from '../render/clean.ts'
import { Failure } from '../shell/failure.ts'

/** An error as a sentence that an assistant can show its user; undefined for an internal error. */
export function toolError(error: unknown): string | undefined {
  if (error instanceof UsageError) return `${clean(error.message)}.`
  if (error instanceof ApiError) {
    const field = error.field === undefined ? '' : `, ${error.field}`
    return `The server refused: ${clean(error.message)} (${clean(error.code + field)}).`
  }
  if (error instanceof Failure) return clean(error.message)
  return undefined
}
