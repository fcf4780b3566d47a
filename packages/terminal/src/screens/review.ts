import type { LogItem } from '../operations/log.ts'
import { type Piece, pieceOf } from '../operations/show.ts'
import { claimFor } from './review-claim.ts'
import type { Shell } from './shell.ts'

/** How often it is looked whether somebody else has decided, or a new text has come, milliseconds. */
const lookMs = 4_000

/** A question that is open before somebody, kept as it stands at the server. */
export interface Review {
  readonly id: string
  /** Undefined until it has come. */
  readonly piece: Piece | undefined
  /** What has happened to its activity; undefined until it was asked for. */
  readonly log: readonly LogItem[] | undefined
  /** Name of somebody else who looks at it. */
  readonly holder: string | undefined
  load(): Promise<void>
  loadLog(): Promise<void>
  close(): void
}

/** Opens a question, claims it, and looks after it until it is closed. @param changed told when its text is another now */
export function openReview(shell: Shell, id: string, changed: () => void): Review {
  const claim = claimFor(shell, id)
  let piece: Piece | undefined
  let log: readonly LogItem[] | undefined
  let closed = false
  let callOff: () => void = () => undefined

  const load = async () => {
    const found = await shell.attempt(() => pieceOf(shell.desk, id))
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
  /** Asks only for the question itself; for all of it where that is another than what is shown. */
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
      // The next look tells it; what is shown stays.
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
