/**
 * What one process tells the others at once when its transaction commits, by the channel that carries it. Whoever misses
 * one finds the same in the database a little later.
 */
export const signals = {
  /** A run may be waiting. */
  runs: 'copydesk_runs',
  /** A run is to stop; the payload is its id. */
  cancel: 'copydesk_cancel',
} as const

export type Signal = keyof typeof signals
