import { once } from 'node:events'
import fc from 'fast-check'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import type { Order, Report, Told } from './player.ts'
import { createSubject } from './subject.ts'
import { createWatchdog, type Limits, usualLimits } from './watchdog.ts'

/**
 * A process of its own for the server that is asked anything: its time and memory are measured apart from those of the
 * test, and when a request never ends, the process does, and the test can say which request it was.
 */

const [, , way, limits] = process.argv
const endpoints = new Map(describeSurfaces().map((info) => [info.id, info]))
const watchdog = await createWatchdog(limits === undefined ? usualLimits : (JSON.parse(limits) as Limits))
const subject = await createSubject(way)

const tell = (message: Told) => void process.send?.(message)

async function play({ id, seed, numRuns, path }: Extract<Order, { kind: 'play' }>): Promise<Report> {
  const info = endpoints.get(id)
  if (!info) throw new Error(`There is no endpoint ${id}`)
  const statuses: number[] = []
  let cases = 0
  const property = fc.asyncProperty(subject.cases(info), async (one) => {
    tell({ kind: 'case', number: cases, request: fc.stringify(one) })
    // What one case has used up is there again for later ones.
    if (cases % 20 === 0) await subject.reset(info)
    cases += 1
    subject.rest(info)
    const status = await watchdog.watch(
      () => subject.act(info, one),
      () => subject.reset(info),
    )
    if (status !== undefined) statuses.push(status)
  })
  const details = await fc.check(property, {
    seed,
    numRuns,
    timeout: 30_000,
    ...(path !== undefined && { path, endOnFailure: true }),
  })
  const why = details.errorInstance instanceof Error ? `\n${details.errorInstance.message}` : ''
  const fault = details.failed ? `${fc.defaultReportMessage(details)}${why}` : undefined
  return { statuses, ...(fault !== undefined && { fault }) }
}

process.on('message', (order: Order) => {
  const done = order.kind === 'play' ? play(order) : subject.stop().then(() => ({ statuses: [] }))
  done.then(
    (report) => tell({ kind: 'report', report }),
    (error: Error) => tell({ kind: 'report', report: { statuses: [], fault: error.stack ?? error.message } }),
  )
})
tell({ kind: 'ready' })
await once(process, 'disconnect')
process.exit()
