import type { Paint } from './show.ts'

/**
 * Shows the text of agents as it is written: one of them live, the others from their start once the previous
 * one is complete.
 */
export interface LiveText {
  started(activity: { activityId: string; title: string; agentRole: string; attempt: number }): void
  text(activityId: string, delta: string): void
  /** Its agent has written everything for now. */
  ended(activityId: string): void
  /**
   * Resolves when all that the activity's agent has written is on the screen, and no other text stands there half; then nothing more
   * is shown until `goOn`.
   */
  pauseAfter(activityId: string): Promise<void>
  goOn(): void
}

interface Piece {
  title: string
  waiting: string
  ended: boolean
  /** Some of its text is on the screen; an agent without text is never shown. */
  begun: boolean
}

export function createLiveText(out: NodeJS.WritableStream, paint: Paint): LiveText {
  const pieces = new Map<string, Piece>()
  /** Text may arrive before the event that its run has started: early text is kept here. */
  const early = new Map<string, string>()
  /** Who waits for the end of a text: of this one, or of the one that is shown. */
  let awaited: { activityId?: string; resolve(): void } | undefined
  let shown: string | undefined
  let paused = false

  const show = () => {
    while (!paused) {
      shown ??= pieces.keys().next().value
      const piece = shown === undefined ? undefined : pieces.get(shown)
      if (shown === undefined || !piece) return
      if (piece.waiting !== '') {
        if (!piece.begun) out.write(`\n${paint.cyan('✎')} ${paint.bold(piece.title)}\n  `)
        out.write(paint.dim(piece.waiting.replaceAll('\n', '\n  ')))
        piece.begun = true
        piece.waiting = ''
      }
      if (!piece.ended) return
      if (piece.begun) out.write('\n')
      const over = shown
      pieces.delete(over)
      shown = undefined
      if (!awaited || (awaited.activityId ?? over) !== over) continue
      paused = true
      awaited.resolve()
      awaited = undefined
    }
  }
  const isHalfShown = () => shown !== undefined && pieces.get(shown)?.begun === true
  return {
    started({ activityId, title, agentRole, attempt }) {
      const again = attempt > 1 ? `, attempt ${attempt}` : ''
      const text = early.get(activityId) ?? ''
      early.delete(activityId)
      pieces.set(activityId, {
        title: `${title} (${agentRole.replaceAll('_', ' ')}${again})`,
        waiting: text,
        ended: false,
        begun: false,
      })
      show()
    },
    text(activityId, delta) {
      const piece = pieces.get(activityId)
      if (piece && !piece.ended) piece.waiting += delta
      else early.set(activityId, (early.get(activityId) ?? '') + delta)
      if (activityId === shown) show()
    },
    ended(activityId) {
      const piece = pieces.get(activityId)
      if (piece) piece.ended = true
      if (activityId === shown) show()
    },
    pauseAfter(activityId) {
      const isToCome = pieces.has(activityId)
      if (!isToCome && !isHalfShown()) {
        paused = true
        return Promise.resolve()
      }
      return new Promise((resolve) => {
        awaited = { ...(isToCome && { activityId }), resolve }
      })
    },
    goOn() {
      paused = false
      show()
    },
  }
}
