import { ApiError } from '@copydesk/client'
import { ofField } from '../operations/of-field.ts'
import { meaning } from './requests.ts'

/** Names of errors whose messages are meant for people. */
const told = new Set(['Error', 'Failure', 'UsageError'])

/** The message of an error for the user. */
export function sentence(error: unknown): string {
  const heard = meaning(error)
  if (error instanceof ApiError) {
    if (heard === 'refused')
      return 'You are logged out: run `copydesk login` in another window; this terminal continues afterwards'
    return ofField(error.field, error.message)
  }
  const { name, message } = error as Error
  if (name === 'TimeoutError') return 'The server does not answer'
  if (name === 'TypeError' && message === 'fetch failed') return 'The server cannot be reached'
  return told.has(name) ? message : `Internal error in the terminal: ${message}`
}
