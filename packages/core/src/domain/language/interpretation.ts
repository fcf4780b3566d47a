import { counted, plain, quoted } from '@copydesk/language'
import { isDestructive, type SlashCommand, toSlash } from './commands.ts'
import type { Piece } from './piece-queries.ts'
import type { LanguageAnswer } from './schemas.ts'

/** An answer with what it speaks of, so that a later "it" has something to stand for. */
export interface Interpretation {
  answer: LanguageAnswer
  /** Approvals and activities, in the order in which they are shown. */
  ids: readonly string[]
  agent?: { role: string; tenantId: string }
  /** What the person has still to say: the next words are taken for it. */
  missing?: 'note' | 'prompt' | 'until'
  /** True where the words were not understood, rather than what they speak of being unclear. */
  unsure?: true
}

/** The most options that a question has, and rows that a table has. */
export const mostOptions = 8
export const mostRows = 50

/**
 * Facts in a sentence, with a table below it.
 * @param rows without the row of titles; those that are too many are left out, and the text is to say so
 */
export function factAnswer(
  text: string,
  table?: { titles: readonly string[]; rows: ReadonlyArray<readonly string[]> },
  about: Partial<Pick<Interpretation, 'ids' | 'agent'>> = {},
): Interpretation {
  const rows = table?.rows.slice(0, mostRows) ?? []
  const cells = table && rows.length > 0 ? [table.titles, ...rows] : undefined
  return {
    answer: {
      type: 'data',
      data: {
        text: plain(text, 4_000),
        ...(cells && { table: cells.map((row) => row.map((cell) => plain(cell, 200))) }),
      },
    },
    ids: [],
    ...about,
  }
}

/** A command for the person to confirm. @param preview what it would touch */
export function actionAnswer(
  command: SlashCommand,
  description: string,
  preview?: string,
  about: Partial<Pick<Interpretation, 'ids' | 'agent'>> = {},
): Interpretation {
  return {
    answer: {
      type: 'action',
      action: {
        command: toSlash(command),
        description: plain(description, 1_000),
        destructive: isDestructive(command),
        ...(preview !== undefined && { preview: plain(preview, 4_000) }),
      },
    },
    ids: [],
    ...about,
  }
}

/** A question back. @param options each is a request that can be sent as it is */
export function clarificationAnswer(
  question: string,
  options: readonly string[] = [],
  more: Partial<Omit<Interpretation, 'answer'>> = {},
): Interpretation {
  const shown = options.slice(0, mostOptions).map((option) => plain(option, 400))
  return {
    answer: {
      type: 'clarification',
      clarification: { question: plain(question, 1_000), ...(shown.length > 0 && { options: shown }) },
    },
    ids: [],
    ...more,
  }
}

/** A piece in a sentence, so that it is known without its id. */
export function nameOf({ title, tenantName }: Pick<Piece, 'title' | 'tenantName'>): string {
  return `${quoted(title)} of ${plain(tenantName, 80)}`
}

/** What an act would touch: how many, of whom, and the first titles. */
export function previewOf(pieces: readonly Piece[], total = pieces.length): string {
  const tenants = [...new Set(pieces.map(({ tenantName }) => plain(tenantName, 80)))]
  const titles = pieces.slice(0, 5).map(({ title, riskLevel, tenantName }) => {
    const risk = riskLevel ? `, ${riskLevel} risk` : ''
    return `${quoted(title)} (${plain(tenantName, 80)}${risk})`
  })
  const rest = total - titles.length
  const what = pieces.every(({ kind }) => kind === 'approval') ? 'approval' : 'piece of work'
  const many = what === 'approval' ? 'approvals' : 'pieces of work'
  const named = tenants.length > 3 ? counted(tenants.length, 'tenant') : tenants.join(', ')
  return `${counted(total, what, many)} of ${named}: ${titles.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`
}
