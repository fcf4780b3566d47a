import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import {
  type ChannelAccount,
  ChannelConnection,
  type ConnectionRow,
  channelNames,
} from '../../accounts/channels/entities.ts'
import type { PlatformCall } from '../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import { isSuppressed } from '../../people/mail/bounces/queries.ts'
import { notify } from '../../people/notifications/notify.ts'
import { idleMs, type Outcome } from '../mailing/hand-over.ts'
import type { WordedMail } from '../mailing/word-mail.ts'
import type { Connector } from '../publishing/connector.ts'
import type { SingleMails } from '../publishing/single-mail.ts'
import { SequenceMail, type SequenceRow, SequenceStep } from './entities.ts'
import { countUnknown } from './mailing-progress.ts'

/** How long mails are held back whose platform wants something of a person first, milliseconds. */
const policyMs = 3_600_000
/** The same where it was asked too often, and does not say until when. */
const quotaMs = 5 * 60_000
/** A platform is not asked again as long before it forgets a mail, milliseconds: a request takes a while. */
const marginMs = 2 * 60_000

/** A mail that certainly was not taken, for a reason that holds for all others too. */
export interface Held {
  status: 'held'
  error: string
  until: Date
  /** Nothing changes until a person does something at the platform. */
  needsPerson: boolean
}

/** What has become of a mail that was handed to a platform. */
export type PlatformOutcome = Outcome | { status: 'sent'; messageId: string } | Held

type Taking = Connector & { mails: SingleMails }

const taking = ({ services }: Ctx, type: ConnectionRow['type']): Taking | undefined => {
  const connector = services.connectors.get(type)
  return connector?.mails && (connector as Taking)
}

const channelOf = (txn: Transaction, id: string) => txn.em.findOne(ChannelConnection, { id })

/**
 * Says by which way the mails of a sequence go from its activation on: by the e-mail platform of the tenant, where one is connected
 * that takes mails to single readers; else by this server. A platform whose grant has ended is waited for.
 */
export async function chooseWay(txn: Transaction, sequence: SequenceRow): Promise<void> {
  const { id: sequenceId, tenantId, channelId: before } = sequence
  const current = before === null ? null : await channelOf(txn, before)
  if (current && current.status !== 'disconnected') return
  const all = await txn.em.find(
    ChannelConnection,
    { tenantId, status: 'connected' },
    { orderBy: { id: 'asc' } },
  )
  const channelId = all.find(({ type }) => taking(txn, type))?.id ?? null
  if (channelId === before) return
  Object.assign(sequence, { channelId, heldUntil: null, heldReason: null })
  // The other way does not know what this one may have taken.
  const unknown = {
    status: 'unknown',
    until: null,
    error: 'The way by which its mails go has changed',
  } as const
  for (const step of await txn.em.find(SequenceStep, { sequenceId })) {
    const given = { stepId: step.id, status: 'doubtful' } as const
    const mails = await txn.em.nativeUpdate(SequenceMail, given, unknown)
    if (mails > 0) await countUnknown(txn, sequence, step, mails)
  }
}

/**
 * What keeps back the mails of a sequence that go by a platform: `rest` until `heldUntil`; `idle` while its grant has ended; `gone` where a person has
 * disconnected it. Undefined where nothing does.
 */
export async function keptBack(
  txn: Transaction,
  { channelId, heldUntil }: SequenceRow,
): Promise<'rest' | 'idle' | 'gone' | undefined> {
  if (channelId === null) return undefined
  const channel = await channelOf(txn, channelId)
  if (!channel || channel.status === 'disconnected') return 'gone'
  if (channel.status !== 'connected') return 'idle'
  return heldUntil && heldUntil > txn.clock.date() ? 'rest' : undefined
}

/** Pauses a sequence whose platform a person has disconnected: other mails than those that were agreed on would go out. */
export async function pauseWithoutPlatform(txn: Transaction, sequence: SequenceRow): Promise<void> {
  const { tenantId, name, campaignId } = sequence
  Object.assign(sequence, { status: 'paused', nextAt: null })
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `Paused: the sequence “${name}”`,
    body: 'Its mails went by an e-mail platform that was disconnected. Connect the platform again, or have this server send them: activate the sequence again.',
    subjectKind: 'campaigns',
    subjectId: campaignId,
  })
}

/** Until when a mail in doubt can be repeated, milliseconds after it was handed over; undefined for the server's own ways. */
export async function repeatableAtPlatform(
  txn: Transaction,
  { channelId }: SequenceRow,
): Promise<number | undefined> {
  if (channelId === null) return undefined
  const channel = await channelOf(txn, channelId)
  const connector = channel && taking(txn, channel.type)
  return connector ? connector.mails.knownMs - marginMs : 0
}

/** Notes that a platform takes no mails until an instant. The admins are told once for each reason that a person has to see to. */
export async function holdAtPlatform(
  txn: Transaction,
  sequence: SequenceRow,
  { until, error, needsPerson }: Held,
): Promise<void> {
  const isNew = sequence.heldReason !== error
  Object.assign(sequence, { heldUntil: until, heldReason: error })
  if (!needsPerson || !isNew) return
  const { tenantId, name, campaignId } = sequence
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `Held back: the mails of “${name}”`,
    body: `The e-mail platform says: ${error}. They go out once it takes them; it is asked every hour.`,
    subjectKind: 'campaigns',
    subjectId: campaignId,
  })
}

/** Hands mails over by the platform of a channel, each to its end, also while the process is told to stop. */
export function createPlatformWay(ctx: Ctx, channelId: string) {
  let account: ChannelAccount | undefined
  const accountOf = async (call: PlatformCall, row: ConnectionRow, { accounts }: Taking) =>
    (account ??= row.account ?? (await accounts?.(call))?.[0]?.account ?? {})
  return async (mail: { id: string; to: string } & WordedMail): Promise<PlatformOutcome> => {
    const { id: key, to, subject, text, html, headers } = mail
    if (await isSuppressed(ctx.sql, to.toLowerCase())) return { status: 'suppressed' }
    try {
      const channel = await transact(ctx, (txn) => channelOf(txn, channelId))
      const connector = channel && taking(ctx, channel.type)
      if (!connector) throw new PlatformError('auth', 'The channel is not connected')
      const messageId = await withAccess(ctx, channelId, { rules: connector.rules }, async (call) =>
        connector.mails.send(
          { ...call, account: await accountOf(call, channel, connector) },
          { key, to, subject, text, html, headers },
        ),
      )
      return { status: 'sent', messageId }
    } catch (error) {
      return outcomeOf(ctx, error)
    }
  }
}

function outcomeOf(ctx: Ctx, error: unknown): PlatformOutcome {
  // What is no answer of a platform says nothing about what has become of the mail.
  if (!(error instanceof PlatformError)) return { status: 'unknown', error: (error as Error).message }
  const { kind, message, until } = error
  const held = (ms: number, needsPerson = false): Held => ({
    status: 'held',
    error: message,
    until: until ?? new Date(ctx.clock.now() + ms),
    needsPerson,
  })
  switch (kind) {
    case 'duplicate':
      return { status: 'sent' }
    case 'unknown':
      return { status: 'doubtful', error: message }
    case 'validation':
      return { status: 'failed', error: message }
    case 'transient':
      return { status: 'waiting', error: message }
    // Its end was told to the admins; the sequence waits until it is connected again.
    case 'auth':
      return held(idleMs)
    case 'policy':
      return held(policyMs, true)
    case 'quota':
      return held(quotaMs)
  }
}

/** How people read a channel's name, with its account. */
export const nameOfChannel = (type: ConnectionRow['type'], accountName: string | null): string =>
  accountName === null ? channelNames[type] : `${channelNames[type]} (${accountName})`
