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
  /** @param done what is said when the verdict has been given */
  decide(ask: AskVerdict, done: string): () => Promise<void>
  show(tab: ReviewTab): void
  next(): Promise<void>
  comment(): Promise<void>
  openWork(): void
  command(): Promise<void>
}

/** The keys of a review, those first that decide. */
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
      help: 'turn it down: its agent tries again, or the work ends',
      run: decide(askReject, 'rejected'),
    },
    {
      key: 'b',
      needs: 'revise',
      label: 'send back',
      help: 'ask the agent for another version',
      run: decide(askRevise, 'sent back'),
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
      help: 'what changed from the version before',
      run: () => show('changes'),
    },
    {
      key: 'n',
      label: 'next',
      help: 'pass it over and go on to the next',
      run: next,
    },
    { key: 'i', label: 'brief', quiet: true, help: 'what the agent was told', run: () => show('brief') },
    {
      key: 'l',
      needs: 'log',
      label: 'log',
      quiet: true,
      help: 'what has happened to it',
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
      help: 'the piece of work: its output, runs and cost',
      run: openWork,
    },
    { key: '/', label: 'command', quiet: true, run: command },
  ]
}
