import type { ReviewTab } from './review-rows.ts'
import {
  type AskVerdict,
  askApprove,
  askEdit,
  askEscalate,
  askForward,
  askReject,
  askRevise,
} from './review-verdicts.ts'
import type { Binding } from './screen.ts'

interface ReviewActs {
  /** @param done message after the verdict was given */
  decide(ask: AskVerdict, done: string): () => Promise<void>
  show(tab: ReviewTab): void
  next(): Promise<void>
  comment(): Promise<void>
  openWork(): void
  command(): Promise<void>
}

/** The keys of a review, those for verdicts first. */
export function reviewBindings({
  decide,
  show,
  next,
  comment,
  openWork,
  command,
}: ReviewActs): readonly Binding[] {
  return [
    { key: 'a', needs: 'approve', label: 'approve', run: decide(askApprove, 'approved') },
    {
      key: 'r',
      needs: 'reject',
      label: 'reject',
      help: 'reject it: its agent writes another version, or the activity is cancelled',
      run: decide(askReject, 'rejected'),
    },
    {
      key: 'b',
      needs: 'revise',
      label: 'revise',
      help: 'request a revision from the agent',
      run: decide(askRevise, 'revision requested'),
    },
    {
      key: 'e',
      needs: 'approve',
      label: 'edit',
      help: 'change the text in your editor and approve it',
      run: decide(askEdit, 'edited and approved'),
    },
    {
      key: 'd',
      label: 'changes',
      help: 'the changes since the previous version',
      run: () => show('changes'),
    },
    {
      key: 'n',
      label: 'next',
      help: 'skip it and open the next',
      run: next,
    },
    { key: 'i', label: 'brief', quiet: true, help: 'the brief of the agent', run: () => show('brief') },
    {
      key: 'l',
      needs: 'log',
      label: 'log',
      quiet: true,
      help: 'the events of its activity',
      run: () => show('log'),
    },
    { key: 'c', needs: 'comment', label: 'comment', quiet: true, run: comment },
    {
      key: 'x',
      needs: 'escalate',
      label: 'escalate',
      quiet: true,
      help: 'raise its risk',
      run: decide(askEscalate, 'escalated'),
    },
    {
      key: 'f',
      needs: 'forward',
      label: 'to the client',
      quiet: true,
      help: 'ask the client as well',
      run: decide(askForward, 'sent to the client'),
    },
    {
      key: 'o',
      label: 'open',
      quiet: true,
      help: 'the activity: its output, runs and cost',
      run: openWork,
    },
    { key: '/', label: 'command', quiet: true, run: command },
  ]
}
