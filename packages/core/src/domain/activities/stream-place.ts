/** How far a watcher has been told: the number of the last event, and how much of which text. */
export interface Place {
  seq: number
  text: { runId: string; attempt: number; length: number } | undefined
}

/** The place as the `id` of a message, such as `42` or `42:01J….1.310`. */
export function writePlace({ seq, text }: Place): string {
  return text ? `${seq}:${text.runId}.${text.attempt}.${text.length}` : String(seq)
}

const form = /^(\d{1,15})(?::([0-7][0-9A-HJKMNP-TV-Z]{25})\.(\d{1,9})\.(\d{1,9}))?$/

/** @returns undefined for what was never an id of ours */
export function readPlace(id: string | undefined): Place | undefined {
  const [, seq, runId, attempt, length] = form.exec(id ?? '') ?? []
  if (seq === undefined) return undefined
  return {
    seq: Number(seq),
    text: runId ? { runId, attempt: Number(attempt), length: Number(length) } : undefined,
  }
}
