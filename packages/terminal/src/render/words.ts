const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A duration in the largest unit that fits: `3 m`, `5 h`, `12 d`. @param ms milliseconds */
export function lasting(ms: number): string {
  const size = Math.abs(ms)
  const short =
    size < minute
      ? `${Math.round(size / 1_000)} s`
      : size < hour
        ? `${Math.floor(size / minute)} m`
        : size < 2 * day
          ? `${Math.floor(size / hour)} h`
          : `${Math.floor(size / day)} d`
  return ms < 0 ? `-${short}` : short
}

/** The age of an instant: an ISO string, or milliseconds since the epoch. */
export function ageOf(instant: string | number, now: number): string {
  return lasting(Math.max(0, now - (typeof instant === 'number' ? instant : Date.parse(instant))))
}

/** US dollars, with as many decimals as the amount needs. */
export function usd(amount: number): string {
  const places = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2
  return `$${amount.toFixed(places).replace(/\B(?=(\d{3})+(?=\.))/g, ',')}`
}

/** `1 approval`, `2 approvals`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

const bars = '▁▂▃▄▅▆▇█'

/** Numbers as a line of bars, scaled to the largest. */
export function sparkline(values: readonly number[]): string {
  const highest = Math.max(...values, 0)
  if (highest === 0) return bars.charAt(0).repeat(values.length)
  return values
    .map((value) => bars.charAt(Math.round((Math.max(0, value) / highest) * (bars.length - 1))))
    .join('')
}
