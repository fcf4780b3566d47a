import type { Counts, Figures, Part } from './figures.ts'
import { type Reach, reachLines } from './reach.ts'

export interface Heading {
  title: string
  tenantName: string
  /** Days, both part of the time. */
  periodStart: string
  periodEnd: string
  timezone: string
  notes: string | null
}

/** Writes a report in Markdown. Every figure in it is one of those that were counted; nothing is guessed. */
export function compose(heading: Heading, figures: Figures, reach: Reach = { published: 0 }): string {
  const { title, tenantName, periodStart, periodEnd, timezone, notes } = heading
  const became = reachLines(reach)
  const parts = [
    `# ${literal(title)}`,
    `${literal(tenantName)}, ${periodStart} to ${periodEnd} (days in ${timezone})`,
    '## In short',
    summary(figures),
    ...(figures.types.length > 0 ? ['## Finished pieces', ...typeLines(figures)] : []),
    ...(figures.campaigns.length > 0 ? ['## By campaign', table('Campaign', figures.campaigns, true)] : []),
    ...(figures.agents.length > 0 ? ['## By agent', table('Agent', figures.agents, false)] : []),
    ...(became.length > 0 ? ['## What became of it', became.join('\n')] : []),
    ...(notes ? ['## Notes', notes] : []),
    '## How this is counted',
    'Spend is what models and tools cost for the runs that were ordered in the period. A piece is finished when its last step is done. The first-pass rate is the share of pieces approved at their first review; the edit rate is the share of reviewed pieces that a person edited.',
    ...(became.length > 0 ? [howReachIsCounted] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

const howReachIsCounted =
  'Posts and mails are those that went out in the period, with all that their platforms have counted of them since. The website and its place in search are counted on the days of the period.'

function summary(counts: Counts): string {
  return [
    `- Spend: ${dollarsInReport(counts.spentMicros)} in ${number(counts.runs, 'run')}`,
    `- Finished: ${number(counts.finished, 'piece')}`,
    `- First-pass approval: ${share(counts.firstPass, counts.decided)}`,
    `- Edited by people: ${share(counts.edited, counts.decided)}`,
  ].join('\n')
}

const typeLines = ({ types }: Figures) => [
  types.map(({ label, finished }) => `- ${literal(label.replaceAll('_', ' '))}: ${finished}`).join('\n'),
]

function table(name: string, parts: readonly Part[], withPieces: boolean): string {
  const head = [name, 'Spend', 'Runs', ...(withPieces ? ['Finished'] : []), 'First pass', 'Edited']
  const rows = parts.map((part) => [
    literal(part.label),
    dollarsInReport(part.spentMicros),
    String(part.runs),
    ...(withPieces ? [String(part.finished)] : []),
    share(part.firstPass, part.decided),
    share(part.edited, part.decided),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** Micro-dollars to the last of them, never less than cents. */
export function dollarsInReport(micros: number): string {
  const cents = String(micros % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  const whole = String(Math.floor(micros / 1_000_000)).replace(/\B(?=(\d{3})+$)/g, ',')
  return `$${whole}.${cents}`
}

const number = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** For example "3 of 4 (75 %)". */
function share(part: number, whole: number): string {
  return whole === 0 ? 'none reviewed' : `${part} of ${whole} (${Math.round((part / whole) * 1_000) / 10} %)`
}

/** A name is a name, whatever marks are in it. */
function literal(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]()#+!|<>~&-]/g, '\\$&')
}
