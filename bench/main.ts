import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ads } from './ads.ts'
import { alternatives } from './alternatives.ts'
import { billing } from './billing.ts'
import { cliStatus } from './cli-start.ts'
import { commits } from './commits.ts'
import { commitsOnPostgres } from './commits-postgres.ts'
import { cranfield } from './cranfield.ts'
import { deciding } from './deciding.ts'
import { deltas } from './deltas.ts'
import { gatewayGet } from './gateway.ts'
import { gatewayCost } from './gateway-cost.ts'
import { jobs } from './jobs.ts'
import { knowledge } from './knowledge.ts'
import { vectors } from './knowledge-vectors.ts'
import { leads } from './leads.ts'
import { lists } from './lists.ts'
import { login } from './login.ts'
import type { Bench, Metric, Metrics, Size } from './measure.ts'
import { media } from './media.ts'
import { calendar, publish } from './publish.ts'
import { runs } from './runs.ts'
import { scale } from './scale.ts'
import { sse } from './sse.ts'
import { start } from './start.ts'
import { steady } from './steady.ts'
import { terminal } from './terminal.ts'
import { verdict } from './verdict.ts'

/**
 * `npm run bench -- [--json] [NAME…]`: runs the benchmarks, each beside its peer; the long ones only when they are named.
 * Anything that is not answered with 2xx, or a row that is missing afterwards, fails the run.
 */
const benches: readonly Bench[] = [
  gatewayGet,
  gatewayCost,
  lists,
  verdict,
  commits,
  commitsOnPostgres,
  deciding,
  jobs,
  runs,
  deltas,
  sse,
  login,
  start,
  terminal,
  cliStatus,
  leads,
  billing,
  steady,
  scale,
  knowledge,
  vectors,
  cranfield,
  media,
  publish,
  calendar,
  ads,
  alternatives,
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '8' },
    events: { type: 'string', default: '10000000' },
    approvals: { type: 'string', default: '1000000' },
    tenants: { type: 'string', default: '1000' },
    chunks: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '1000000' },
    documents: { type: 'string', default: '20' },
    files: { type: 'string', default: '1000' },
    folder: { type: 'string' },
  },
})
const { json, folder, ...sizes } = values
const size = {
  ...Object.fromEntries(Object.entries(sizes).map(([name, text]) => [name, positive(name, text)])),
  ...(folder !== undefined && { folder: resolve(folder) }),
} as unknown as Size
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
  if (positionals.length > 0 ? !positionals.includes(bench.name) : bench.long) continue
  say(`\n${bench.name}`)
  const found = await bench.run(size, say)
  for (const [name, metric] of Object.entries(found)) say(`  ${line(name, metric)}`)
  Object.assign(metrics, found)
}
if (json) console.log(JSON.stringify(metrics, null, 2))
process.exit(0)

/** A number of the command line. */
function positive(name: string, text: string): number {
  const number = Number(text)
  if (number > 0) return number
  console.error(`--${name} takes a number above 0, not ${text}`)
  process.exit(1)
}

function line(name: string, { value, unit, peer, peerValue, ratio, aim }: Metric): string {
  const beside = peer === undefined ? '' : `  ${peer}: ${short(peerValue)}, ratio ${ratio?.toFixed(2)}`
  return `${name.padEnd(24)} ${short(value)} ${unit}${beside}${aim ? `  (aim: ${aim})` : ''}`
}

function short(value = Number.NaN): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
}
