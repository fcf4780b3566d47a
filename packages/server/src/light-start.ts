import { constants, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Up to where the young part of the heap grows while a server serves, bytes of both of its halves. V8 lets it grow to 128 MiB, whatever
 * the work. Under full load a list took about a tenth more processor time with 16 MiB than with 32; under light load collections are few anyway.
 */
const youngLimits = { light: 8 * 2 ** 20, full: 32 * 2 ** 20 }

/** Work that creates more than this is no light load, bytes a second. */
const lightRate = 48 * 2 ** 20

/** For at least so long at a time it is counted, so that a single request is no load. */
const rateMs = 1_000

/** Anyone who gives Node options of their own has settled such things. */
const isSettled = () => process.execArgv.length > 0 || Boolean(process.env['NODE_OPTIONS'])

const set = (...flags: readonly string[]) => {
  if (!isSettled()) flags.forEach(setFlagsFromString)
}

/**
 * Keeps small what V8 takes while a server loads, which happens once and is not repeated: the young part of the heap, which
 * would grow to 32 MiB because nearly all that is created stays, and the work of the optimizing compilers. V8 gives neither back.
 */
export function beginLightly(): void {
  set('--semi-space-growth-factor=1', '--no-maglev', '--no-turbofan')
}

/**
 * Lets V8 work as it would by itself once everything is loaded, except that the young part of the heap stays near its limit.
 * @returns ends that as well
 */
export function endLightly(): () => void {
  set('--semi-space-growth-factor=2', '--maglev', '--turbofan')
  return isSettled() ? () => undefined : limitYoung()
}

/**
 * The largest size cannot be changed in a running process, but whether it grows can. Looked at after each collection: only
 * collections change the size. What runs without a pause is not seen before its end, and may go beyond the limit.
 */
function limitYoung(): () => void {
  let growth = 2
  const letGrow = (factor: 1 | 2) => {
    if (factor !== growth) set(`--semi-space-growth-factor=${factor}`)
    growth = factor
  }
  let limit = youngLimits.light
  let created = 0
  let since = performance.now()
  let before = youngSize()
  const observer = new PerformanceObserver((list) => {
    const size = youngSize()
    // One half is full at each collection. On a busy machine several are told of together, and it has grown since the first of them.
    created += (list.getEntries().filter(isOfTheYoung).length * Math.min(before, size)) / 2
    before = size
    const ms = performance.now() - since
    if (ms >= rateMs) {
      limit = created > (lightRate * ms) / 1_000 ? youngLimits.full : youngLimits.light
      created = 0
      since = performance.now()
    }
    letGrow(size < limit ? 2 : 1)
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => {
    observer.disconnect()
    letGrow(2)
  }
}

const isOfTheYoung = (entry: object) =>
  (entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR

const youngSize = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
