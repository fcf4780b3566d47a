/** What an act cost the event loop of this thread. */
export interface Turns<T> {
  value: T
  /** How many turns the event loop made. */
  turns: number
  /** The most CPU time that one turn of the loop took, milliseconds: for so long no one else was answered. */
  longestMs: number
}

/**
 * Does an act and measures the turns of the event loop meanwhile, in CPU time of this thread: a machine that is busy with
 * something else makes no difference.
 */
export async function measureTurns<T>(act: () => Promise<T>): Promise<Turns<T>> {
  const now = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let longestMs = 0
  let turns = 0
  let last = now()
  let measuring = true
  const turn = () => {
    const at = now()
    longestMs = Math.max(longestMs, at - last)
    last = at
    turns += 1
    if (measuring) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    return { value: await act(), longestMs: (turn(), longestMs), turns }
  } finally {
    measuring = false
  }
}

/** CPU time of this thread that `act` takes, milliseconds; the least of several tries. */
export function cpuOf(act: () => unknown, tries = 3): number {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n += 1) {
    const before = process.threadCpuUsage()
    act()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
