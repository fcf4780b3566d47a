/** One thing that was looked at. */
export interface Finding {
  name: string
  ok: boolean
  message: string
  /** What to do when it is not ok. */
  remedy?: string
}

/** Makes a finding of what a probe says or throws. */
export type Look = (name: string, probe: () => Promise<string>, remedy: string) => Promise<Finding>
