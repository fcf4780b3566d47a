/**
 * The writers of one file: first come, first served, and one in each turn of the event loop. What writes blocks the loop, so
 * connections, streams and timers have their turn before the next one. Unlike a mutex it tells who waits.
 */
export class WriteQueue<Writer> {
  readonly #waiting: Array<{ writer: Writer; enter: () => void }> = []
  #busy = false
  #kept: Writer | undefined

  /** Waits for the turn, which `pass` or `keep` ends. */
  async enter(writer: Writer): Promise<void> {
    if (this.#kept === writer && this.#waiting.length === 0) this.#kept = undefined
    else if (this.#busy) return new Promise((enter) => void this.#waiting.push({ writer, enter }))
    this.#busy = true
  }

  /** Who has the next turn. */
  get next(): Writer | undefined {
    return this.#waiting[0]?.writer
  }

  pass(): void {
    const next = this.#waiting.shift()
    if (next) next.enter()
    else this.#busy = false
  }

  /** Ends the turn for the writer itself only: if it is not the next one, others wait until it takes the turn back. */
  keep(writer: Writer): void {
    if (this.next === writer) this.pass()
    else this.#kept = writer
  }

  /** @returns whether the turn was still kept, and is the writer's again */
  takeBack(writer: Writer): boolean {
    if (this.#kept !== writer) return false
    this.#kept = undefined
    return true
  }
}
