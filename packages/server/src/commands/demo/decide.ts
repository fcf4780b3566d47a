import * as prompts from '@clack/prompts'
import type { Client, Reply } from '@copydesk/client'
import { outputWidth } from '@copydesk/terminal/output'
import { type Paint, showMarkdown, showWordDiff } from './show.ts'

export type Approval = Reply<'dm', 'GET /approvals/:approvalId'>
export interface Decision {
  resolution: 'approved' | 'rejected' | 'revision_requested'
  note?: string
}
/** Reads a text and returns the verdict. */
export type Decide = (approval: Approval) => Promise<Decision>

/** Shows the text to decide on, or what changed since the version for which a revision was requested. */
export function showApproval(approval: Approval, paint: Paint): string {
  const [linked] = approval.linkedActivities
  const head = `\n${paint.yellow('?')} ${paint.bold(approval.title)} ${paint.dim(`· version ${linked?.version ?? 1} · ${approval.riskLevel} risk · expires ${approval.expiresAt.slice(0, 16).replace('T', ' ')} UTC`)}\n`
  if (linked?.output === undefined) return head
  if (linked.previousOutput === undefined)
    return `${head}\n${showMarkdown(linked.output, paint, outputWidth())}\n`
  return `${head}\n  ${paint.dim('Changed since the previous version:')}\n\n${showWordDiff(linked.previousOutput, linked.output, paint)}\n`
}

/** Without a person: requests a revision of the second text once with a note, approves everything else. */
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
    message: 'Your verdict?',
    options: [
      { value: 'approved' as const, label: 'Approve' },
      { value: 'revision_requested' as const, label: 'Request a revision with a note' },
      { value: 'rejected' as const, label: 'Reject with a note' },
    ],
  })
  if (prompts.isCancel(resolution)) throw new Cancelled()
  if (resolution === 'approved') return { resolution }
  const note = await prompts.text({
    message: 'What should be different?',
    placeholder: 'shorter, mention the Rye & Seed Loaf',
    validate: (text) => (text?.trim() ? undefined : 'A note tells the writer what to change'),
  })
  if (prompts.isCancel(note)) throw new Cancelled()
  return { resolution, note }
}

/** The person has pressed Ctrl+C. */
export class Cancelled extends Error {
  constructor() {
    super('Stopped by you. The temporary installation and its data are deleted.')
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
