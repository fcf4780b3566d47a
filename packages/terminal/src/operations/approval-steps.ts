import { row, span } from '../render/row.ts'
import { operation } from './operation.ts'
import { approvalRows } from './show-rows.ts'

const id = { kind: 'argument', required: true, summary: 'id of the approval', completes: 'approval' } as const

export const claim = operation({
  name: 'claim',
  summary: 'claim an approval for 15 minutes; again to renew the claim',
  effect: 'steers',
  params: { id },
  examples: ['claim 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (context, input) => context.client.call('cli', 'POST /approvals/:id/claim', { params: input }),
  print: ({ approvalId, claimedUntil }) => [
    row(span('✔ ', 'good'), `${approvalId} is claimed by you until ${claimedUntil}`),
  ],
  preview: (context, input) => approvalRows(context, [input.id]),
  undo: (input) => ({ name: 'release', input }),
})

export const release = operation({
  name: 'release',
  summary: 'release an approval that you have claimed',
  effect: 'steers',
  params: { id },
  examples: ['release 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (context, input) => {
    await context.client.call('cli', 'DELETE /approvals/:id/claim', { params: input })
    return { approvalId: input.id, claimedBy: null }
  },
  print: ({ approvalId }) => [row(span('✔ ', 'good'), `${approvalId} is released`)],
  preview: (context, input) => approvalRows(context, [input.id]),
  undo: (input) => ({ name: 'claim', input }),
})

export const escalate = operation({
  name: 'escalate',
  summary: 'raise the risk of an approval and restart its due time',
  effect: 'decides',
  params: {
    id,
    risk: { kind: 'choice', choices: ['medium', 'high'], required: true, summary: 'the new risk' },
    reason: { kind: 'text', value: 'text', required: true, summary: 'the reason; people read it' },
  },
  examples: ['escalate 01J9ZX6T4QH8C3V5N7M2K0B1AD --risk high --reason "Names a competitor"'],
  run: (context, { id: approval, risk, reason }) =>
    context.client.call('cli', 'POST /approvals/:id/escalate', {
      params: { id: approval },
      body: { newRiskLevel: risk, reason },
    }),
  print: ({ approvalId, riskLevel, newExpiresAt }) => [
    row(span('✔ ', 'good'), `${approvalId} has ${riskLevel} risk and expires at ${newExpiresAt}`),
  ],
  preview: (context, input) => approvalRows(context, [input.id]),
})

export const forward = operation({
  name: 'forward',
  summary: 'ask the client as well; the first verdict counts for both',
  effect: 'decides',
  params: {
    id,
    note: { kind: 'text', value: 'text', summary: 'note for the client' },
    urgent: { kind: 'flag', summary: 'mark it as urgent' },
  },
  examples: ['forward 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Is the price right?"'],
  run: (context, { id: approval, note, urgent }) =>
    context.client.call('cli', 'POST /approvals/:id/send-to-client', {
      params: { id: approval },
      body: { ...(note !== undefined && { note }), ...(urgent && { urgency: 'urgent' }) },
    }),
  print: ({ forwardedApprovalId, notificationSent }) => [
    row(
      span('✔ ', 'good'),
      `the client is asked as ${forwardedApprovalId}`,
      span(notificationSent ? '' : ', but no one could be notified', 'warn'),
    ),
  ],
  preview: (context, input) => approvalRows(context, [input.id]),
})
