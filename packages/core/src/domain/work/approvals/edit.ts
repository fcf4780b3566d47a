import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { inThread } from '../../../kernel/in-thread.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { describeEdit } from '../content/edits.ts'
import type { OutputRow } from '../content/entities.ts'
import { recordFeedback } from '../content/feedback.ts'
import { addVersion, type CheckedText, checkText } from '../content/versions.ts'
import type { ApprovalRow } from './entities.ts'
import { shownText } from './queries.ts'
import type { Verdict } from './schemas.ts'

/** A text that a reviewer puts in the place of the one that was shown. */
export interface Edit {
  /** Null where nothing is shown that could be edited. */
  content: CheckedText | null
  /** SHA-256 of the version that it was made from. */
  from: string | null
  /** What was changed, in a few words. */
  difference: string
}

/** Texts that are shorter together than this, characters, are compared at once: a thread would take longer. */
const shortEdit = 400

/**
 * Compares an edited text with the one that is shown, and holds it against the brand: slow for long texts, so it is done in
 * threads and before anything is locked.
 * @returns undefined when the verdict edits nothing
 * @throws DomainError `VALIDATION_ERROR` on `edited` when the verdict does not approve, or the text is blank; `THROTTLED` when
 *   the caller has too many texts compared or checked at the same time
 */
export async function readEdit(ctx: Ctx, approvalId: string, verdict: Verdict): Promise<Edit | undefined> {
  const { edited, resolution } = verdict
  if (edited === undefined) return undefined
  if (resolution !== 'approved') throw invalid('edited', 'Only what is approved can be edited')
  if (edited.trim() === '') throw invalid('edited', 'The edited text is blank')
  const shown = await shownText(ctx, approvalId)
  if (!shown) return { content: null, from: null, difference: '' }
  const isShort = shown.text.length + edited.length < shortEdit
  return {
    content: await checkText(ctx, shown.tenantId, edited),
    from: shown.sha256,
    difference: isShort
      ? describeEdit(shown.text, edited)
      : await inThread(ctx, 'edit', [shown.text, edited]),
  }
}

/**
 * @throws DomainError `VALIDATION_ERROR` on `edited` when no text is asked about, or the verdict is for several pieces
 */
export function requireEditable(approval: ApprovalRow, activities: readonly ActivityRow[]): void {
  if (approval.contentHash === null) throw invalid('edited', 'This approval is not about a text')
  if (activities.length !== 1)
    throw invalid('edited', 'This approval is about several pieces: send it back with a note')
}

/** Keeps the reviewer's text as the next version, and what was changed as a lesson. The same text again is no edit. */
export async function saveEdit(
  txn: Transaction,
  approval: ApprovalRow,
  activity: ActivityRow,
  shown: OutputRow,
  edit: Edit,
): Promise<OutputRow> {
  const author = { id: txn.actor.id, name: actorName(txn), type: 'human' as const }
  const { content } = edit
  if (!content) throw new DomainError('CONFLICT', 'The content has changed since it was shown')
  const { output, added } = await addVersion(txn, activity, {
    content,
    format: shown.format,
    author,
  })
  if (added) recordFeedback(txn, activity, { kind: 'edit', text: edit.difference, approvalId: approval.id })
  return output
}
