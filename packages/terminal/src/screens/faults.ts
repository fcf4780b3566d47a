import { ApiError } from '@copydesk/client'
import { ofField } from '../operations/of-field.ts'
import { meaning } from './requests.ts'

/** Errors that were made to be read by people. */
const told = new Set(['Error', 'Failure', 'LineFault'])

/** What went wrong, as it is told to a person. */
export function sentence(error: unknown): string {
  const heard = meaning(error)
  if (error instanceof ApiError) {
    if (heard === 'refused')
      return 'You are logged out: run `copydesk login` in another window; it goes on here'
    return ofField(error.field, error.message)
  }
  const { name, message } = error as Error
  if (name === 'TimeoutError') return 'The server does not answer'
  if (name === 'TypeError' && message === 'fetch failed') return 'The server cannot be reached'
  return told.has(name) ? message : `Something is wrong in the terminal itself: ${message}`
}
