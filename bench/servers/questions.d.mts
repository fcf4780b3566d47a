export const common: {
  /** Microseconds of processor time that it has used so far. */
  cpu(): number
  /** Bytes that it holds after a collection of garbage. */
  memory(): Promise<number>
  /** Begins to note how long the loop stands still and how much memory is held at most. */
  watch(): void
  /** What was noted: milliseconds, and bytes. */
  watched(): { stall: number; peak: number } | undefined
}
