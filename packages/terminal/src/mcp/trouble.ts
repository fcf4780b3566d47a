import { ApiError } from '@copydesk/client'
import { LineFault } from '../operations/line.ts'
import { clean } from '../paper/clean.ts'
import { Failure } from '../shell/failure.ts'

/** A failure in a sentence that an assistant can tell its person; undefined for a fault of ours. */
export function whatWentWrong(error: unknown): string | undefined {
  if (error instanceof LineFault) return `${clean(error.message)}.`
  if (error instanceof ApiError) {
    const field = error.field === undefined ? '' : `, ${error.field}`
    return `The server refused: ${clean(error.message)} (${clean(error.code + field)}).`
  }
  if (error instanceof Failure) return clean(error.message)
  return undefined
}
