import { row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { neededTenant } from './knowledge.ts'
import type { OperationBase, Parameters } from './operation.ts'

const uploadParameters = {
  paths: {
    kind: 'arguments',
    summary:
      'files, folders with all that is in them except hidden files, and patterns such as "docs/**/*.md"',
  },
  tenant: neededTenant,
  dataset: {
    kind: 'choice',
    choices: ['client-documents', 'website-content', 'competitor-research'],
    summary: 'dataset to add them to (default: client-documents)',
  },
  parser: {
    kind: 'choice',
    choices: ['builtin', 'advanced'],
    summary: 'what reads them (default: builtin)',
  },
} as const satisfies Parameters

/** The command that adds files to a dataset. */
export const kbUpload: OperationBase<typeof uploadParameters> = {
  name: 'kb upload',
  summary: 'add files to a dataset one by one, and wait until each can be searched',
  effect: 'steers',
  params: uploadParameters,
  examples: [
    'kb upload prices.pdf guidelines/ --tenant rye.example',
    'kb upload "site/**/*.html" --dataset website-content --json',
  ],
}

/** What became of one file. */
export interface UploadOutcome {
  /** As it was named, or as it was found in a folder. */
  path: string
  /** Null when it could not be looked at. */
  sizeBytes: number | null
  status: 'indexed' | 'failed'
  /** Null when the server did not take it. */
  fileId: string | null
  chunks: number
  error: string | null
}

/** One file with what became of it. */
export function uploadedRow({ path, chunks, error }: UploadOutcome): StyledLine {
  if (error !== null) return row(span('✘ ', 'bad'), path, span(`  ${error}`, 'bad'))
  return row(span('✔ ', 'good'), path, span(`  ${counted(chunks, 'chunk')}`, 'dim'))
}

/**
 * How many files were indexed, and which were not.
 * @param left files that were not tried
 */
export function uploadSummary(files: readonly UploadOutcome[], left: number): string {
  const failed = files.filter(({ status }) => status === 'failed')
  const parts = [
    `${files.length - failed.length} indexed`,
    `${failed.length} failed`,
    ...(left > 0 ? [`${left} not tried`] : []),
  ]
  const reasons = failed.map(({ path, error }) => `\n  ${path}: ${error}`)
  return `${counted(files.length + left, 'file')}: ${parts.join(', ')}${reasons.join('')}`
}
