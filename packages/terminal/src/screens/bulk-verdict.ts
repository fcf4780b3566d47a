import { bulk, decidable, hashesIn, type MatchingReceipt } from '../operations/bulk.ts'
import { row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { resultScreen } from './scroll.ts'
import type { Shell } from './shell.ts'

/** Maximum number of approvals that the server decides at once. */
const most = 500

type BulkInput = Parameters<typeof bulk.run>[1]

/**
 * One verdict on all approvals of the input: shows what would be decided, asks for confirmation, and shows
 * the outcome of each. Everything is done in one request, on exactly what was shown.
 * @param asked whether the user has seen it and confirmed
 * @returns whether anything was decided
 */
export async function decideAll(shell: Shell, input: BulkInput, asked = false): Promise<boolean> {
  if (input.ids && input.ids.length > most) {
    shell.say(`You selected ${input.ids.length}, and at most ${most} can be decided at once`, 'warn')
    return false
  }
  shell.say('Loading what would be decided …', 'dim')
  const plan = await shell.attempt(() => bulk.run(shell.context, { ...input, dryRun: true }))
  if (!plan) return false
  if (input.dryRun) {
    openReceipt(shell, plan)
    return false
  }
  const standing = decidable(plan)
  if (standing.length === 0) {
    openReceipt(shell, plan)
    shell.say('None of them is pending any more', 'warn')
    return false
  }
  const left = plan.matched - standing.length
  const question = `${input.action === 'approve' ? 'Approve' : 'Reject'} ${counted(standing.length, 'approval')}?${left > 0 ? ` ${left} cannot be decided.` : ''}`
  // The confirmation of a filter does not cover what has matched since.
  const { action, note, ids: named } = input
  if (!(asked && named) && !(await shell.confirm(question, previewRows(plan)))) {
    shell.say('Nothing was decided', 'dim')
    return false
  }
  const done = await shell.run(
    { name: 'bulk', input: { action, note, ids: named ?? standing } },
    { asked: true, seen: hashesIn(plan), tell: (result) => summary(result as MatchingReceipt) },
  )
  if (!done) return false
  const receipt = done.result as MatchingReceipt
  if (receipt.resolved < receipt.matched) {
    openReceipt(shell, receipt)
    shell.say(summary(receipt), 'warn')
  }
  return receipt.resolved > 0
}

/** What would be decided, and why the rest cannot be. */
function previewRows({ items }: MatchingReceipt) {
  return items.map(({ title, tenantName, result, error, approvalId }) =>
    row(
      span(result === 'resolved' ? '✔ ' : '· ', result === 'resolved' ? 'good' : 'warn'),
      span(title || approvalId, 'strong'),
      span(tenantName ? ` · ${tenantName}` : '', 'dim'),
      span(error === undefined ? '' : `  ${error}`, 'warn'),
    ),
  )
}

function summary({ resolved, skipped, items }: MatchingReceipt): string {
  const failed = items.filter(({ result }) => result === 'error').length
  return `${resolved} decided, ${skipped} skipped, ${failed} failed`
}

const openReceipt = (shell: Shell, receipt: MatchingReceipt) =>
  shell.open(
    resultScreen(receipt.dryRun ? 'what would be decided' : 'what was decided', (width) =>
      bulk.print(receipt, shell.renderOptions(width)),
    ),
  )
