import { row, span } from '../paper/row.ts'
import { operation } from './operation.ts'
import { approvalRows } from './touched.ts'

const id = { kind: 'argument', required: true, summary: 'id of the approval', completes: 'approval' } as const

export const claim = operation({
  name: 'claim',
  summary: 'say that you look at an approval, for 15 minutes; again to renew',
  does: 'steers',
  takes: { id },
  examples: ['claim 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: (desk, input) => desk.client.call('cli', 'POST /approvals/:id/claim', { params: input }),
  print: ({ approvalId, claimedUntil }) => [
    row(span('✔ ', 'good'), `${approvalId} is yours until ${claimedUntil}`),
  ],
  preview: (desk, input) => approvalRows(desk, [input.id]),
  undo: (input) => ({ name: 'release', input }),
})

export const release = operation({
  name: 'release',
  summary: 'let go of an approval that you have claimed',
  does: 'steers',
  takes: { id },
  examples: ['release 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (desk, input) => {
    await desk.client.call('cli', 'DELETE /approvals/:id/claim', { params: input })
    return { approvalId: input.id, claimedBy: null }
  },
  print: ({ approvalId }) => [row(span('✔ ', 'good'), `${approvalId} is free for others`)],
  preview: (desk, input) => approvalRows(desk, [input.id]),
  undo: (input) => ({ name: 'claim', input }),
})

export const escalate = operation({
  name: 'escalate',
  summary: 'raise the risk of an approval and restart its clock',
  does: 'decides',
  takes: {
    id,
    risk: { kind: 'choice', choices: ['medium', 'high'], required: true, summary: 'the new risk' },
    reason: { kind: 'text', value: 'text', required: true, summary: 'why; people read it' },
  },
  examples: ['escalate 01J9ZX6T4QH8C3V5N7M2K0B1AD --risk high --reason "Names a competitor"'],
  run: (desk, { id: approval, risk, reason }) =>
    desk.client.call('cli', 'POST /approvals/:id/escalate', {
      params: { id: approval },
      body: { newRiskLevel: risk, reason },
    }),
  print: ({ approvalId, riskLevel, newExpiresAt }) => [
    row(span('✔ ', 'good'), `${approvalId} is of ${riskLevel} risk and lapses at ${newExpiresAt}`),
  ],
  preview: (desk, input) => approvalRows(desk, [input.id]),
})

export const forward = operation({
  name: 'forward',
  summary: 'ask the client as well; a verdict of either counts for both',
  does: 'decides',
  takes: {
    id,
    note: { kind: 'text', value: 'text', summary: 'told to the client' },
    urgent: { kind: 'flag', summary: 'say that it is urgent' },
  },
  examples: ['forward 01J9ZX6T4QH8C3V5N7M2K0B1AD --note "Is the price right?"'],
  run: (desk, { id: approval, note, urgent }) =>
    desk.client.call('cli', 'POST /approvals/:id/send-to-client', {
      params: { id: approval },
      body: { ...(note !== undefined && { note }), ...(urgent && { urgency: 'urgent' }) },
    }),
  print: ({ forwardedApprovalId, notificationSent }) => [
    row(
      span('✔ ', 'good'),
      `the client is asked as ${forwardedApprovalId}`,
      span(notificationSent ? '' : ', and nobody could be told of it', 'warn'),
    ),
  ],
  preview: (desk, input) => approvalRows(desk, [input.id]),
})
