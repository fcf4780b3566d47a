import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { cliStatus } from './cli-start.ts'
import { commits } from './commits.ts'
import { deciding } from './deciding.ts'
import { deltas } from './deltas.ts'
import { gatewayGet } from './gateway.ts'
import { gatewayCost } from './gateway-cost.ts'
import { jobs } from './jobs.ts'
import { lists } from './lists.ts'
import { login } from './login.ts'
import type { Bench, Metric, Metrics } from './measure.ts'
import { runs } from './runs.ts'
import { sse } from './sse.ts'
import { start } from './start.ts'
import { terminal } from './terminal.ts'
import { verdict } from './verdict.ts'

/**
 * `npm run bench -- [--json] [NAME…]`: runs the benchmarks, each beside its peer. Anything that is not answered with 2xx,
 * or a row that is missing afterwards, fails the run.
 */
const benches: readonly Bench[] = [
  gatewayGet,
  gatewayCost,
  lists,
  verdict,
  commits,
  deciding,
  jobs,
  runs,
  deltas,
  sse,
  login,
  start,
  terminal,
  cliStatus,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${unknown.join(', ')}. There are: ${benches.map(({ name }) => name).join(', ')}`,
  )
  process.exit(1)
}

const say = (line: string) => void process.stderr.write(`${line}\n`)
const metrics: Metrics = {}
say(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
)
for (const bench of benches) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue
  say(`\n${bench.name}`)
  const found = await bench.run()
  for (const [name, metric] of Object.entries(found)) say(`  ${line(name, metric)}`)
  Object.assign(metrics, found)
}
if (values.json) console.log(JSON.stringify(metrics, null, 2))
process.exit(0)

function line(name: string, { value, unit, peer, peerValue, ratio, aim }: Metric): string {
  const beside = peer === undefined ? '' : `  ${peer}: ${short(peerValue)}, ratio ${ratio?.toFixed(2)}`
  return `${name.padEnd(24)} ${short(value)} ${unit}${beside}${aim ? `  (aim: ${aim})` : ''}`
}

function short(value = Number.NaN): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
