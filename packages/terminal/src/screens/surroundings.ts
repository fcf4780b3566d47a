import type { Client } from '@copydesk/client'
import type { Drafts } from '../account/drafts.ts'
import type { Audience } from '../operations/operation.ts'
import type { History } from '../account/history.ts'

/** Where the terminal is logged in, and what it needs of the world. */
export interface Surroundings {
  client: Client
  /** Shown at the top: the profile, the server and the person. */
  place: string
  /** Of an admin or a member of a tenant: which of both, and the tenant. */
  own?: { audience: Audience; tenant: { id: string; name: string } }
  /** The tenant that everything is narrowed to, if any. */
  tenantId?: string
  /** What was said and run at earlier times: to be said again, and nothing that "it" could stand for. */
  past: History
  /** What was written and not sent. */
  drafts: Drafts
  now(): number
  /** Calls back after `ms`. @returns how to call it off */
  after(ms: number, fn: () => void): () => void
  /** Puts a text where it can be pasted from, if the terminal does that. */
  copy(text: string): void
  /** Gives the shell below the terminal back until the program is called to the front again. */
  pause(): Promise<void>
  /** Lets somebody change a file in the editor of their choice. @throws Error when that ends with a fault */
  edit(file: string): Promise<void>
  /** Whether a screen reader reads: no drawings, and words instead of signs. */
  spoken: boolean
  /** Whether the terminal shows colours. */
  colour: boolean
}
