import type { AssistantAccess, Principal } from './context.ts'

/** What an assistant may do that acts for somebody: what the API key says; with any other credential it reads. */
export function assistantRight({ type, assistantAccess = 'none' }: Principal): AssistantAccess {
  return type === 'api_key' ? assistantAccess : 'read'
}
