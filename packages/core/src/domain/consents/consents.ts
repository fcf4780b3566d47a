import { LockMode } from '@mikro-orm/core'
import { command } from '../command.ts'
import type { Command, Ctx, GivenConsent, Principal } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { User } from '../identity/entities.ts'
import { type AnswerWay, Consent, type ConsentRow } from './entities.ts'
import { countRecent } from './queries.ts'
import type { ConsentAnswer, ConsentItem, ConsentRequest, ConsentStatus, ConsentUse } from './schemas.ts'
import { statusOf } from './status.ts'

/** How long an act as it was shown can be agreed to and carried out, milliseconds. */
const lifetimeMs = 600_000

/** Acts that one person is asked about in that time; more than a person could read. */
const most = 100

/**
 * Asks the caller's person to agree to an act, or tells what the person has said to the same act: asking again within ten
 * minutes is the same question. Serves `POST /cli/v1/consents`.
 * @throws DomainError `UNPROCESSABLE` when too many are waiting
 */
export function requestConsent(ctx: Ctx, wanted: ConsentRequest): Promise<ConsentItem> {
  return command(ctx, async (cmd) => {
    const { actor } = cmd
    // One at a time for each person, so that the same question is not asked twice.
    if (!(await cmd.em.findOne(User, { id: actor.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })))
      throw notFound('user')
    const asked = await cmd.em.findOne(
      Consent,
      {
        userId: actor.id,
        keyId: actor.keyId ?? null,
        actHash: wanted.actHash,
        usedOn: null,
        expiresAt: { $gt: cmd.clock.date() },
        // A program that asks its person itself may ask again after a no.
        $or: [{ agreed: null }, { agreed: true }, { answeredHow: 'login' }],
      },
      { orderBy: { id: 'desc' } },
    )
    if (asked) {
      record(cmd, asked, 'consent.request')
      return toItem(cmd, asked)
    }
    if ((await countRecent(cmd, actor.id)) >= most)
      throw new DomainError(
        'UNPROCESSABLE',
        `Within ten minutes a person is asked about ${most} acts at the most; wait until some have expired`,
      )
    const row = cmd.em.create(Consent, {
      id: cmd.newId(),
      userId: actor.id,
      keyId: actor.keyId ?? null,
      assistant: cmd.trace.assistant ?? 'unnamed',
      ...wanted,
      agreed: null,
      answeredHow: null,
      answeredOn: null,
      usedOn: null,
      expiresAt: new Date(cmd.clock.now() + lifetimeMs),
      createdOn: cmd.clock.date(),
    })
    record(cmd, row, 'consent.request')
    return toItem(cmd, row)
  })
}

/** One act that the caller's person is asked about. Serves `GET /cli/v1/consents/:id`. @throws DomainError `NOT_FOUND` */
export function getConsent(ctx: Ctx, id: string): Promise<ConsentItem> {
  return command(ctx, async (cmd) => toItem(cmd, await find(cmd, id)))
}

/**
 * A person agrees to an act, or does not. A key cannot: what an assistant has must not let it agree. Serves
 * `POST /cli/v1/consents/:id/answer`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` to anything but a login; `CONFLICT` when it was answered or has expired
 */
export function answerConsent(ctx: Ctx, id: string, { agreed }: ConsentAnswer): Promise<ConsentItem> {
  if (ctx.actor.type !== 'human' || ctx.trace.assistant !== undefined)
    throw new DomainError('FORBIDDEN', 'A person agrees with a login of their own, not a program with a key')
  return command(ctx, async (cmd) => {
    const row = await find(cmd, id)
    require(cmd, row, 'pending')
    answer(cmd, row, agreed, 'login')
    return toItem(cmd, row)
  })
}

/**
 * Uses up what a person has agreed to, just before it is carried out: once, by the key that asked. With `elicited` the program
 * has asked the person itself, and tells the answer. Serves `POST /cli/v1/consents/:id/use`.
 * @returns what has become of it: `used`, or `declined` where the person who was asked said no
 * @throws DomainError `NOT_FOUND`; `CONFLICT` with `details.reason` when it is another act, or there is no consent to it
 */
export function useConsent(ctx: Ctx, id: string, { actHash, elicited }: ConsentUse): Promise<ConsentItem> {
  return command(ctx, async (cmd) => {
    const row = await find(cmd, id)
    if (row.keyId !== (cmd.actor.keyId ?? null)) throw notFound('consent')
    if (row.actHash !== actHash)
      throw refused('changed', 'What was shown is not what would be done: the act has changed since')
    if (elicited && statusOf(row, cmd.clock.date()) === 'pending')
      answer(cmd, row, elicited === 'accepted', 'elicitation')
    if (elicited === 'declined' && row.agreed === false) return toItem(cmd, row)
    require(cmd, row, 'agreed')
    row.usedOn = cmd.clock.date()
    record(cmd, row, 'consent.use')
    return toItem(cmd, row)
  })
}

/**
 * The consent that a request of an assistant is carried out under, for the record.
 * @throws DomainError `FORBIDDEN` when this caller has used none of that id just now
 */
export async function consentInUse(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  principal: Principal,
  id: string,
): Promise<GivenConsent> {
  const row = await ctx.db.unitOfWork('all', (em) =>
    em.findOne(Consent, { id, userId: principal.id, keyId: principal.keyId ?? null }),
  )
  const isInUse = row?.usedOn && ctx.clock.now() - row.usedOn.getTime() < lifetimeMs
  if (!isInUse || row.answeredHow === null)
    throw new DomainError('FORBIDDEN', 'X-Copydesk-Consent names no consent that was used for this just now')
  return { id, by: row.userId, how: row.answeredHow }
}

async function find({ em, actor }: Command, id: string): Promise<ConsentRow> {
  const row = await em.findOne(Consent, { id, userId: actor.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound('consent')
  return row
}

function answer(cmd: Command, row: ConsentRow, agreed: boolean, answeredHow: AnswerWay): void {
  Object.assign(row, { agreed, answeredHow, answeredOn: cmd.clock.date() })
  record(cmd, row, agreed ? 'consent.agree' : 'consent.decline')
}

const standing: Record<ConsentStatus, string> = {
  pending: 'No person has agreed to this yet',
  agreed: 'A person has agreed to this already',
  declined: 'The person did not agree to this',
  used: 'This consent has been used already',
  expired: 'This consent is older than ten minutes',
}

function require(cmd: Command, row: ConsentRow, wanted: ConsentStatus): void {
  const status = statusOf(row, cmd.clock.date())
  if (status !== wanted) throw refused(status, standing[status])
}

function refused(reason: ConsentStatus | 'changed', message: string): DomainError {
  return new DomainError('CONFLICT', message, { details: { reason } })
}

function record(cmd: Command, row: ConsentRow, action: string): void {
  const { id, operation, line, actHash, assistant, agreed, answeredHow } = row
  cmd.audit({
    resourceType: 'consent',
    resourceId: id,
    after: { operation, line, actHash, assistant, agreed, answeredHow },
    action,
  })
}

function toItem(ctx: Ctx, row: ConsentRow): ConsentItem {
  const { id, assistant, operation, line, touches, answeredHow, answeredOn, createdOn, expiresAt } = row
  const status = statusOf(row, ctx.clock.date())
  return {
    id,
    status,
    assistant,
    operation,
    line,
    touches,
    answeredHow,
    answeredOn,
    createdOn,
    expiresAt,
  }
}
