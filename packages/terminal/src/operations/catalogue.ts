import { adsKeywords } from './ad-keywords.ts'
import { adsLimits, adsSetLimit } from './ad-limits.ts'
import { adsApply, adsApprove, adsPlan, adsShow, adsSync, adsUndo } from './ads.ts'
import { agents, queues, run } from './agents.ts'
import { claim, escalate, forward, release } from './approval-steps.ts'
import { ask } from './ask.ts'
import { bulk } from './bulk.ts'
import { campaignDraft } from './campaign-draft.ts'
import { campaignImport, campaignLink } from './campaign-import.ts'
import { campaignList } from './campaign-list.ts'
import { campaignBrief, campaignStatus } from './campaign-workflow.ts'
import { campaignCreate, campaignShow } from './campaigns.ts'
import { channelDisconnect, channelHealth, channelList } from './channels.ts'
import { cost } from './cost.ts'
import { dismiss, feed, snooze } from './feed.ts'
import { readInput, UsageError, wordsOf } from './invocation.ts'
import { kbFiles, kbList } from './knowledge.ts'
import { kbSearch } from './knowledge-search.ts'
import { leadConsent, leadList, leadShow } from './leads.ts'
import { log } from './log.ts'
import {
  mailingCancel,
  mailingList,
  mailingPause,
  mailingResume,
  mailingShow,
  mailingStart,
  mailingTest,
} from './mailings.ts'
import {
  type AnyFollowing,
  type AnyOperation,
  type OperationBase,
  type OperationContext,
} from './operation.ts'
import { outcomes } from './outcomes.ts'
import { publishCalendar } from './publication-calendar.ts'
import { publishPreview } from './publication-preview.ts'
import {
  publishCancel,
  publishList,
  publishReconcile,
  publishRetry,
  publishShow,
  publishUpdate,
} from './publications.ts'
import { queue } from './queue.ts'
import { show } from './show.ts'
import { status } from './status.ts'
import { cancel, comment, pause, resume, retry } from './steering.ts'
import { tail } from './tail.ts'
import { impersonate, tenants } from './tenants.ts'
import { approve, reject, revise } from './verdicts.ts'

/** All operations at a server, in the order of the help. */
export const operations: readonly AnyOperation[] = [
  status,
  queue,
  feed,
  show,
  log,
  tenants,
  agents,
  queues,
  cost,
  outcomes,
  ask,
  approve,
  reject,
  revise,
  bulk,
  claim,
  release,
  escalate,
  forward,
  run,
  pause,
  resume,
  retry,
  cancel,
  comment,
  snooze,
  dismiss,
  impersonate,
  campaignCreate,
  campaignDraft,
  campaignList,
  campaignShow,
  campaignBrief,
  campaignStatus,
  campaignImport,
  campaignLink,
  adsPlan,
  adsShow,
  adsApprove,
  adsApply,
  adsUndo,
  adsSync,
  adsKeywords,
  adsLimits,
  adsSetLimit,
  kbList,
  kbFiles,
  kbSearch,
  leadList,
  leadShow,
  leadConsent,
  channelList,
  channelHealth,
  channelDisconnect,
  publishList,
  publishShow,
  publishPreview,
  publishUpdate,
  publishRetry,
  publishReconcile,
  publishCancel,
  publishCalendar,
  mailingList,
  mailingShow,
  mailingTest,
  mailingStart,
  mailingPause,
  mailingResume,
  mailingCancel,
]

/** The operations that stream. */
export const followings: readonly AnyFollowing[] = [tail]

/** @returns undefined when no operation has this name */
export function operationNamed(name: string): AnyOperation | AnyFollowing | undefined {
  return [...operations, ...followings].find((each) => each.name === name)
}

/** Whether the user of a context may run an operation. */
export function mayRun(
  { audience = 'staff' }: Pick<OperationContext, 'audience'>,
  { audience: those }: OperationBase,
): boolean {
  return (those ?? ['staff']).includes(audience)
}

/** Why a user may not run an operation, in one sentence; undefined when permitted. */
export function refusal(
  context: Pick<OperationContext, 'audience' | 'tenant'>,
  operation: OperationBase,
): string | undefined {
  if (mayRun(context, operation)) return undefined
  const { audience = 'staff', tenant } = context
  const { name } = operation
  const those = operation.audience ?? ['staff']
  if (audience === 'staff')
    return `\`${name}\` is for ${those.includes('member') ? 'the users' : 'an admin'} of a tenant with a login (\`copydesk login\`), and for operators on the machine of the server (with --data-dir, if the installation is not in this folder).`
  const where = tenant?.name ?? 'your tenant'
  return those.includes('admin')
    ? `\`${name}\` is for admins of ${where}; you are a member there.`
    : `\`${name}\` is for reviewers and super-admins; you are ${audience === 'admin' ? 'an admin' : 'a member'} of ${where}.`
}

/** Whether the user of a context may run the operation with this name. */
export function mayRunNamed(context: Pick<OperationContext, 'audience'>, name: string): boolean {
  const operation = operationNamed(name)
  return operation !== undefined && mayRun(context, operation)
}

/** The operations that a user may run, in the order of the help. */
export function operationsFor(context: Pick<OperationContext, 'audience'>): readonly AnyOperation[] {
  return operations.filter((operation) => mayRun(context, operation))
}

/** Whether a line that begins with this word can be a command. */
export function isCommandPrefix(word: string): boolean {
  return [...operations, ...followings].some(({ name }) => name === word || name.startsWith(`${word} `))
}

/** The operation whose name a line begins with, and the remaining words; the name has one or two words. */
export function operationIn(words: readonly string[]): {
  operation: AnyOperation | AnyFollowing | undefined
  rest: readonly string[]
} {
  const [first = '', second] = words
  const whole = second === undefined ? undefined : operationNamed(`${first} ${second}`)
  return whole
    ? { operation: whole, rest: words.slice(2) }
    : { operation: operationNamed(first), rest: words.slice(1) }
}

/** The operation or stream of a slash command, with its input. @throws UsageError */
export function parseInvocation(line: string): {
  operation: AnyOperation | AnyFollowing
  input: Readonly<Record<string, unknown>>
} {
  const words = wordsOf(line.trim().replace(/^\//, ''))
  const { operation, rest } = operationIn(words)
  if (!operation) throw new UsageError(`There is no command /${words[0] ?? ''}. /help lists all commands.`)
  return { operation, input: readInput(operation, rest) }
}
