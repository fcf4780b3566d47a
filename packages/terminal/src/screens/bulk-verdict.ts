import { bulk, decidable, type MatchingReceipt } from '../operations/bulk.ts'
import { row, span } from '../paper/row.ts'
import { counted } from '../paper/words.ts'
import { resultScreen } from './result-screen.ts'
import type { Shell } from './shell.ts'

/** How many the server decides at once. */
const most = 500

type BulkInput = Parameters<typeof bulk.run>[1]

/**
 * One verdict on all that the input names or that match it: shows first what it would be on, asks, and says of each what became
 * of it. Everything is done in one request, on exactly what was shown.
 * @param asked whether the person has seen it and said yes
 * @returns whether anything was decided
 */
export async function decideAll(shell: Shell, input: BulkInput, asked = false): Promise<boolean> {
  if (input.ids && input.ids.length > most) {
    shell.say(`That is ${input.ids.length}, and ${most} are decided at once at the most`, 'warn')
    return false
  }
  shell.say('Looking what it would be …', 'dim')
  const plan = await shell.attempt(() => bulk.run(shell.desk, { ...input, dryRun: true }))
  if (!plan) return false
  if (input.dryRun) {
    openReceipt(shell, plan)
    return false
  }
  const standing = decidable(plan)
  if (standing.length === 0) {
    openReceipt(shell, plan)
    shell.say('None of them can be decided any more', 'warn')
    return false
  }
  const left = plan.matched - standing.length
  const question = `${input.action === 'approve' ? 'Approve' : 'Reject'} ${counted(standing.length, 'piece')}?${left > 0 ? ` ${left} cannot be decided.` : ''}`
  // Who agreed to what matches has not seen what came since.
  const { action, note, ids: named } = input
  if (!(asked && named) && !(await shell.confirm(question, previewRows(plan)))) {
    shell.say('Nothing was decided', 'dim')
    return false
  }
  const done = await shell.run(
    { name: 'bulk', input: { action, note, ids: named ?? standing } },
    { asked: true, tell: (result) => summary(result as MatchingReceipt) },
  )
  if (!done) return false
  const receipt = done.result as MatchingReceipt
  if (receipt.resolved < receipt.matched) {
    openReceipt(shell, receipt)
    shell.say(summary(receipt), 'warn')
  }
  return receipt.resolved > 0
}

/** What it would be on, and of the rest why not. */
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
      bulk.print(receipt, shell.paper(width)),
    ),
  )
