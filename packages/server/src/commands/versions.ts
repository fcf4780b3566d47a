import { table } from '@copydesk/terminal/table'
import { createPaint, showWordDiff } from './demo/show.ts'

interface Version {
  version: number
  createdBy: { name: string }
  createdOn: Date
  note: string | null
}

interface Compared extends Version {
  data: Record<string, unknown>
  against?: number | undefined
  changes?: Array<{ field: string; before?: unknown; after?: unknown }> | undefined
}

/** Versions on a terminal, newest first. */
export function listedVersions(versions: readonly Version[]): string {
  return table(
    ['VERSION', 'WHEN', 'BY', 'NOTE'],
    versions.map(({ version, createdBy, createdOn, note }) => [
      String(version),
      createdOn.toISOString(),
      createdBy.name,
      note ?? '-',
    ]),
    [3, 2],
  )
}

/** The content of a version, or what has changed since the version that it is compared with. */
export function compared({ data, changes }: Compared): string {
  if (!changes) return Object.entries(data).map(field).join('\n')
  if (changes.length === 0) return 'There is no difference.'
  const paint = createPaint(process.stdout.isTTY && !process.env['NO_COLOR'])
  return changes
    .map(({ field: name, before, after }) =>
      typeof before === 'string' && typeof after === 'string'
        ? `${name}\n${showWordDiff(before, after, paint)}`
        : `${name}\n  ${said(before)} → ${said(after)}`,
    )
    .join('\n')
}

const field = ([name, value]: [string, unknown]) => `${name}: ${said(value)}`
const said = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'not set'))
