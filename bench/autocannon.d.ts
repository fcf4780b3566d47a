/** What the benchmarks use of a package that brings no types. */
declare module 'autocannon' {
  interface Result {
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
    /** Seconds. */
    duration: number
    latency: { p99: number }
  }
  export default function autocannon(options: {
    url: string
    connections: number
    /** Seconds. */
    duration: number
    requests: Array<{ path: string; headers?: Record<string, string> }>
  }): Promise<Result>
}
