/** Runs a piece of work in its turn; of the lanes that have some waiting, each gets every next turn. */
export type WorkLanes<Lane extends string> = <T>(lane: Lane, work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `size` pieces of work at once. Others wait in the lane of their kind, in the order they came, and lanes take turns: a flood in
 * one delays the next of another by one piece of work.
 * @param options.maxWaiting how many may wait in each lane; beyond that, work is refused at once
 * @param options.refuse the error that it is refused with
 */
// Not `p-queue`: it has one queue, in which a flood of one kind delays every other.
export function createSlots<Lane extends string>(options: {
  size: number
  maxWaiting: number
  refuse: () => Error
}): WorkLanes<Lane> {
  const { size, maxWaiting, refuse } = options
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`Slots: expected 1 or more, got ${size}.`)
  /** Lanes in the order of their turns; one that no one waits in is not here. */
  const lanes = new Map<Lane, Array<() => void>>()
  let free = size

  const wait = (lane: Lane) => {
    const waiting = lanes.get(lane) ?? []
    if (waiting.length >= maxWaiting) throw refuse()
    lanes.set(lane, waiting)
    return new Promise<void>((resume) => waiting.push(resume))
  }
  const release = () => {
    const [turn] = lanes
    if (!turn) {
      free += 1
      return
    }
    const [lane, waiting] = turn
    const next = waiting.shift()
    lanes.delete(lane)
    if (waiting.length > 0) lanes.set(lane, waiting)
    next?.()
  }

  return async (lane, work) => {
    if (free > 0) free -= 1
    else await wait(lane)
    try {
      return await work()
    } finally {
      release()
    }
  }
}
