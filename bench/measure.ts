/** One measured figure, beside that of its peer where it has one. */
export interface Metric {
  value: number
  unit: string
  /** What it is compared with. */
  peer?: string
  peerValue?: number
  /** Ours over the peer's where more is better, the peer's over ours where less is: above 1 is better than the peer. */
  ratio?: number
  /** What the product aims at, in words. */
  aim?: string
}

export type Metrics = Record<string, Metric>

/** What the command line can set. */
export interface Size {
  minutes: number
  events: number
  approvals: number
  tenants: number
  /** Of a knowledge base, over ten tenants. */
  chunks: number
  /** Leads that are imported. */
  rows: number
  /** Of Markdown, that come into a knowledge base at once. */
  files: number
  /** Of 50 MB each, that are uploaded into a knowledge base. */
  documents: number
  /** Of a collection in the files of BEIR, as an absolute path. */
  folder?: string
}

/** One benchmark: a name of the command line, and the figures that it gives. */
export interface Bench {
  name: string
  /** Runs only when it is named. */
  long?: true
  /** @param say prints a line of its progress */
  run(size: Size, say: (line: string) => void): Promise<Metrics>
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** @param share 0.99 for the 99th percentile */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

type Sample<K extends string> = Record<K, number>

/**
 * Runs contenders in turns, so that all of them meet the same moods of the machine, and takes the median of each figure.
 * @param rounds how often each runs
 */
export async function interleave<C extends string, K extends string>(
  rounds: number,
  contenders: Record<C, () => Promise<Sample<K>>>,
): Promise<Record<C, Sample<K>>> {
  const names = Object.keys(contenders) as C[]
  const samples = new Map<C, Sample<K>[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) samples.get(name)?.push(await contenders[name]())
  return Object.fromEntries(
    names.map((name) => {
      const taken = samples.get(name) as Sample<K>[]
      const keys = Object.keys(taken[0] ?? {}) as K[]
      return [name, Object.fromEntries(keys.map((key) => [key, median(taken.map((one) => one[key]))]))]
    }),
  ) as Record<C, Sample<K>>
}

/** A figure of which more is better. */
export function more(value: number, unit: string, peer: string, peerValue: number, aim?: string): Metric {
  return { value, unit, peer, peerValue, ratio: value / peerValue, ...(aim && { aim }) }
}

/** A figure of which less is better. */
export function less(value: number, unit: string, peer: string, peerValue: number, aim?: string): Metric {
  return { value, unit, peer, peerValue, ratio: peerValue / value, ...(aim && { aim }) }
}

/** @throws Error: a run that lost something has measured nothing */
export function expectEqual(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new Error(`${what}: ${found} instead of ${wanted}`)
}
