/** What words of a request may be about, beside the names in it. */
export type SlotName =
  | 'age'
  | 'agentState'
  | 'approvalType'
  | 'count'
  | 'deliverableType'
  | 'done'
  | 'expiry'
  | 'failed'
  | 'blocked'
  | 'id'
  | 'limit'
  | 'note'
  | 'noun'
  | 'order'
  | 'overdue'
  | 'past'
  | 'pending'
  | 'place'
  | 'quantity'
  | 'quote'
  | 'reference'
  | 'risk'
  | 'role'
  | 'running'
  | 'span'
  | 'tenant'
  | 'until'
  | 'verdict'

/** The words of a request, each with the slot that has claimed it, if any. */
export interface Claims {
  words: readonly string[]
  by: ReadonlyArray<SlotName | undefined>
}

export interface Claiming {
  /**
   * Claims the words that a form matches, so that no later form sees them; what the group `gap` of it matches stays free.
   * @returns the match, or undefined where there is none
   */
  take(slot: SlotName, form: RegExp): RegExpExecArray | undefined
  /** Claims every place that a form matches. */
  takeAll(slot: SlotName, form: RegExp): void
  /** The text with what is claimed blotted out, each word at its place. */
  rest(): string
  done(): Claims
}

/** Lets slots claim words of a text whose words stand one space apart. */
export function claimingOf(text: string): Claiming {
  const words = text.split(' ')
  const starts = startsOf(words)
  const by: Array<SlotName | undefined> = words.map(() => undefined)
  // By code units, as the indices of a match are.
  const letters = text.split('')
  let rest = text
  const claim = (slot: SlotName, found: RegExpExecArray): boolean => {
    const [from, to] = found.indices?.[0] ?? [0, 0]
    const gap = found.indices?.groups?.['gap'] ?? [0, 0]
    const taken = wholeWords(starts, words, from, to).filter((at) => !isWithin(starts[at] ?? 0, gap))
    for (const at of taken) {
      const [start, length] = [starts[at] ?? 0, words[at]?.length ?? 0]
      by[at] ??= slot
      letters.fill('.', start, start + length)
    }
    return taken.length > 0
  }
  return {
    take(slot, form) {
      const found = indexed(form).exec(rest)
      if (!found || !claim(slot, found)) return undefined
      rest = letters.join('')
      return found
    },
    takeAll(slot, form) {
      for (const found of rest.matchAll(indexed(form, 'g'))) claim(slot, found)
      rest = letters.join('')
    },
    rest: () => rest,
    done: () => ({ words, by }),
  }
}

const compiled = new Map<string, RegExp>()

/** The same form, which tells where its parts were found. Forms are written once, so there are few. */
function indexed(form: RegExp, flag = ''): RegExp {
  const key = `${flag}/${form.source}`
  const known = compiled.get(key) ?? new RegExp(form.source, `d${flag}`)
  compiled.set(key, known)
  return known
}

const isWithin = (at: number, [from, to]: readonly [number, number]) => at >= from && at < to

/** Where each word begins in the text. */
export function startsOf(words: readonly string[]): number[] {
  let at = 0
  return words.map((word) => {
    const start = at
    at += word.length + 1
    return start
  })
}

/** The places of the words that lie between two letters with all of theirs. */
export function wholeWords(
  starts: readonly number[],
  words: readonly string[],
  from: number,
  to: number,
): number[] {
  const places: number[] = []
  for (let at = firstFrom(starts, from); at < words.length && (starts[at] ?? 0) < to; at += 1) {
    const { length } = words[at] ?? ''
    if (length > 0 && (starts[at] ?? 0) + length <= to) places.push(at)
  }
  return places
}

/** The first word that begins at a letter or after it. */
function firstFrom(starts: readonly number[], from: number): number {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}
