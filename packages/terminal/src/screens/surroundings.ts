import type { Client } from '@copydesk/client'
import type { Drafts } from '../account/drafts.ts'
import type { History } from '../account/history.ts'
import type { Audience } from '../operations/operation.ts'

/** The login of the terminal, and its environment. */
export interface Surroundings {
  client: Client
  /** Shown at the top: the profile, the server and the user. */
  place: string
  /** The role and the tenant of an admin or a member. */
  own?: { audience: Audience; tenant: { id: string; name: string } }
  /** The tenant filter, if any. */
  tenantId?: string
  /** Lines of earlier sessions: can be recalled, but are not context for "it". */
  past: History
  /** The user's drafts. */
  drafts: Drafts
  now(): number
  /** Calls back after `ms`. @returns a function that cancels it */
  after(ms: number, fn: () => void): () => void
  /** Copies a text to the clipboard, if the terminal supports that. */
  copy(text: string): void
  /** Suspends the program until the shell brings it to the foreground again. */
  pause(): Promise<void>
  /** Opens a file in the user's editor. @throws Error when the editor fails */
  edit(file: string): Promise<void>
  /** Whether a screen reader is in use: no decoration, and words instead of symbols. */
  spoken: boolean
  /** Whether the terminal shows colours. */
  colour: boolean
}
