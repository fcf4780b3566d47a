/** A queue under measurement. */
export interface OpenQueue {
  /** Resolves when the job is committed. */
  enqueue(n: number): Promise<void>
  /** Resolves when the end of every job that has run is written down. */
  settled(): Promise<void>
  /** Jobs that the database says are done. */
  recorded(): Promise<number>
  close(): Promise<void>
}

/** Opens a queue on an empty database; `work` is called with the number of each job, and is the job. */
export type JobContender = (database: string, work: (n: number) => Promise<void> | void) => Promise<OpenQueue>

/** Jobs in progress at a time, in every contender. */
export const concurrency = 32

/** Asks again until `probe` is true. */
export async function eventually(probe: () => Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 2))
}
