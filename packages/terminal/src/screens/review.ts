import type { LogItem } from '../operations/log.ts'
import { type Piece, pieceOf } from '../operations/show.ts'
import { claimFor } from './review-claim.ts'
import { type Shell } from './shell.ts'

/** How often to check whether someone else has decided, or the text has changed, milliseconds. */
const lookMs = 4_000

/** An open approval, kept in sync with the server. */
export interface Review {
  readonly id: string
  /** Undefined until it is loaded. */
  readonly piece: Piece | undefined
  /** The events of its activity; undefined until they are requested. */
  readonly log: readonly LogItem[] | undefined
  /** Name of another user who has claimed it. */
  readonly holder: string | undefined
  load(): Promise<void>
  loadLog(): Promise<void>
  close(): void
}

/**
 * Opens an approval, claims it, and polls it until it is closed. @param changed called when its text has
 * changed
 */
export function openReview(shell: Shell, id: string, changed: () => void): Review {
  const claim = claimFor(shell, id)
  let piece: Piece | undefined
  let log: readonly LogItem[] | undefined
  let closed = false
  let callOff: () => void = () => undefined

  const load = async () => {
    const found = await shell.attempt(() => pieceOf(shell.context, id))
    if (closed || !found) return
    const before = piece
    piece = found
    if (before && before.text?.contentHash !== found.text?.contentHash) changed()
    if (log) void loadLog()
    shell.changed()
  }
  const loadLog = async () => {
    const activityId = piece?.activity?.id
    if (activityId === undefined) return
    const found = await shell.attempt(() =>
      shell.client.call('cli', 'GET /activities/:id/log', {
        params: { id: activityId },
        query: { limit: 100 },
      }),
    )
    if (found) log = found.data
    shell.changed()
  }
  /** Loads only the approval itself; everything when it differs from what is shown. */
  const look = async () => {
    const shown = piece?.approval
    try {
      const now = await shell.client.call('cli', 'GET /approvals/:id', { params: { id } })
      if (shown && (now.status !== shown.status || now.contentHash !== shown.contentHash)) await load()
      else if (shown && piece) piece = { ...piece, approval: now }
      else await load()
      if (now.status === 'pending' && !now.claimedBy) void claim.take()
      shell.changed()
    } catch {
      // The next poll reports it; what is shown stays.
    }
    watch()
  }
  const watch = () => {
    if (!closed) callOff = shell.after(lookMs, () => void look())
  }

  void load()
  void claim.take().then(shell.changed)
  watch()
  return {
    id,
    get piece() {
      return piece
    },
    get log() {
      return log
    },
    get holder() {
      return claim.mine ? undefined : piece?.approval?.claimedBy?.name
    },
    load,
    loadLog,
    close() {
      closed = true
      callOff()
      claim.release()
    },
  }
}

/**
 * The next approval for this user, other than those skipped or decided.
 * @returns undefined when there is none, or the request failed, which has been reported
 */
export async function nextToReview(shell: Shell, passed: ReadonlySet<string>): Promise<string | undefined> {
  const ofTenant = shell.tenantId === undefined ? {} : { tenantId: shell.tenantId }
  const isClient = shell.context.tenant !== undefined
  return shell.attempt(async () => {
    const { approval } = await shell.client.call('cli', 'GET /approvals/next', { query: ofTenant })
    if (!approval || !passed.has(approval.id)) return approval?.id
    const { data } = await shell.client.call('cli', 'GET /approvals', {
      query: { ...ofTenant, 'filter.status': 'pending', limit: 100 },
    })
    // Approvals claimed by others are skipped, and those forwarded to the client return by themselves.
    return data.find(
      ({ id, claimedBy, forwardedFrom, forwardedTo }) =>
        !passed.has(id) &&
        !claimedBy &&
        (isClient || forwardedFrom === undefined) &&
        forwardedTo === undefined,
    )?.id
  })
}
