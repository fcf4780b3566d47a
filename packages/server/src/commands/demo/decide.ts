import * as prompts from '@clack/prompts'
import type { Client, Reply } from '@copydesk/client'
import { paperWidth } from '@copydesk/terminal/talk'
import { type Paint, showMarkdown, showWordDiff } from './show.ts'

export type Approval = Reply<'dm', 'GET /approvals/:approvalId'>
export interface Decision {
  resolution: 'approved' | 'rejected' | 'revision_requested'
  note?: string
}
/** Looks at a piece and says what becomes of it. */
export type Decide = (approval: Approval) => Promise<Decision>

/** Shows what is asked: the piece, or what changed since the version that was sent back. */
export function showApproval(approval: Approval, paint: Paint): string {
  const [linked] = approval.linkedActivities
  const head = `\n${paint.yellow('?')} ${paint.bold(approval.title)} ${paint.dim(`· version ${linked?.version ?? 1} · ${approval.riskLevel} risk · expires ${approval.expiresAt.slice(0, 16).replace('T', ' ')} UTC`)}\n`
  if (linked?.output === undefined) return head
  if (linked.previousOutput === undefined)
    return `${head}\n${showMarkdown(linked.output, paint, paperWidth())}\n`
  return `${head}\n  ${paint.dim('Changed since the version before:')}\n\n${showWordDiff(linked.previousOutput, linked.output, paint)}\n`
}

/** Without a person: the second piece is sent back once with a note, everything else is approved. */
export function decideByItself(note: string): Decide {
  let seen = 0
  let sentBack = false
  return async (approval) => {
    const isSecondLook = (approval.linkedActivities[0]?.version ?? 1) > 1
    if (!isSecondLook) seen += 1
    if (seen === 2 && !sentBack && !isSecondLook) {
      sentBack = true
      return { resolution: 'revision_requested', note }
    }
    return { resolution: 'approved' }
  }
}

/** Asks the person at the terminal. */
export const decideByAsking: Decide = async () => {
  const resolution = await prompts.select({
    message: 'What becomes of it?',
    options: [
      { value: 'approved' as const, label: 'Approve' },
      { value: 'revision_requested' as const, label: 'Send back with a note' },
      { value: 'rejected' as const, label: 'Reject with a note' },
    ],
  })
  if (prompts.isCancel(resolution)) throw new Cancelled()
  if (resolution === 'approved') return { resolution }
  const note = await prompts.text({
    message: 'What should be different?',
    placeholder: 'shorter, mention the Rye & Seed Loaf',
    validate: (text) => (text?.trim() ? undefined : 'The writer needs a word about what to change'),
  })
  if (prompts.isCancel(note)) throw new Cancelled()
  return { resolution, note }
}

/** The person has had enough. */
export class Cancelled extends Error {
  constructor() {
    super('Stopped by you. The temporary installation and what was made in it are gone.')
  }
}

export async function resolveApproval(
  reviewer: Client,
  approval: Approval,
  decision: Decision,
): Promise<void> {
  await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId: approval.id },
    body: { ...decision, ...(approval.contentHash && { contentHash: approval.contentHash }) },
  })
}
