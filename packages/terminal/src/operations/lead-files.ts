import type { Reply } from '@copydesk/client'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { leadFilter, nameOf } from './leads.ts'
import type { OperationBase, Parameters } from './operation.ts'

const importParameters = {
  file: { kind: 'argument', required: true, summary: 'CSV file of at most 10 MB' },
  source: { kind: 'text', value: 'label', summary: 'what the leads come from (default: name of the file)' },
  duplicates: {
    kind: 'choice',
    choices: ['skip', 'update'],
    summary: 'what to do with a lead that is there already (skip)',
  },
  errors: { kind: 'text', value: 'file', summary: 'write the lines that became no leads to this CSV file' },
  dryRun: { kind: 'flag', summary: 'show what would be imported, and import nothing' },
  yes: { kind: 'flag', summary: 'do not ask for confirmation' },
} as const satisfies Parameters

/** The command that imports leads from a file. */
export const leadImport: OperationBase<typeof importParameters> = {
  name: 'lead import',
  summary: 'import leads from a CSV file, after a preview, and wait for the end',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: importParameters,
  examples: [
    'lead import fair.csv --source "Fair 2026"',
    'lead import crm.csv --duplicates update --errors wrong.csv --yes --json',
  ],
}

const exportParameters = {
  out: { kind: 'text', value: 'file', summary: 'file to write (default: stdout)' },
  ...leadFilter,
} as const satisfies Parameters

/** The command that exports leads to a file. */
export const leadExport: OperationBase<typeof exportParameters> = {
  name: 'lead export',
  summary: 'write leads as CSV to a file or to stdout, the oldest first',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: exportParameters,
  examples: ['lead export --out leads.csv', 'lead export --status qualified | wc -l'],
}

const undoParameters = {
  importId: { kind: 'argument', required: true, summary: 'id of the import' },
  yes: { kind: 'flag', summary: 'do not ask for confirmation' },
} as const satisfies Parameters

/** The command that takes an import back. */
export const leadUndo: OperationBase<typeof undoParameters> = {
  name: 'lead undo',
  summary: 'remove the leads that an import has made and no one has changed since',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: undoParameters,
  examples: ['lead undo 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
}

export type Preview = Reply<'dashboard', 'POST /leads/import/preview'>
export type ImportState = Reply<'dashboard', 'GET /leads/imports/:importId'>

/** How many leads and faults of a file are shown before it is imported. */
const shown = 5

/** What an import would make of a file. */
export function previewRows({ columns, rows, errors, total, invalid }: Preview): StyledLine[] {
  const used = columns.filter(({ field }) => field !== null)
  const left = columns.filter(({ field }) => field === null)
  const names = (all: Preview['columns']) => all.map(({ header }) => header).join(', ')
  return [
    row(`${counted(total, 'line')}, ${invalid} of them with a fault`),
    row(span('columns  ', 'dim'), used.map(({ header, field }) => `${header} → ${field}`).join(', ')),
    ...(left.length > 0 ? [row(span('left out ', 'dim'), names(left))] : []),
    ...rows.slice(0, shown).map(({ row: line, lead }) => {
      const more = [lead.email, lead.phone, lead.company].filter(Boolean).join('  ')
      return row(span(`line ${line}  `, 'dim'), nameOf(lead), span(`  ${more}`, 'dim'))
    }),
    ...faultRows(errors.slice(0, shown)),
    emptyRow,
  ]
}

const faultRows = (errors: Preview['errors']) =>
  errors.map(({ row: line, reason }) => row(span(`line ${line}  `, 'dim'), span(reason, 'bad')))

/** How far an import is, in one line. */
export function importRow({ imported, updated, skipped, total }: ImportState): StyledLine {
  const done = imported + updated + skipped
  const share = total === 0 ? 100 : Math.floor((done / total) * 100)
  return row(span(`${share} %  `, 'accent'), `${done} of ${counted(total, 'line')}`)
}

/** What has become of a file. */
export function importedRows(state: ImportState): StyledLine[] {
  const { importId, imported, updated, skipped, errors, errorsComplete } = state
  const counts = `${counted(imported, 'lead')} imported, ${updated} updated, ${skipped} skipped`
  return [
    row(span('✔ ', 'good'), counts, span(`  ${importId}`, 'accent')),
    ...faultRows(errors.slice(0, shown)),
    ...(errors.length > shown || !errorsComplete ? [row(span('  …', 'dim'))] : []),
  ]
}

/** What an undone import has left. */
export function undoneRows({ undo }: ImportState): StyledLine[] {
  return [row(span('✔ ', 'good'), `${counted(undo?.removed ?? 0, 'lead')} removed, ${undo?.kept ?? 0} kept`)]
}
