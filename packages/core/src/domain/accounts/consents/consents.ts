import { LockMode } from '@mikro-orm/core'
import type { Ctx, GivenConsent, Principal, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { User } from '../identity/entities.ts'
import { type AnswerWay, Consent, type ConsentRow } from './entities.ts'
import { consentStatus, countRecent, toConsent } from './queries.ts'
import type { ConsentAnswer, ConsentItem, ConsentRequest, ConsentStatus, ConsentUse } from './schemas.ts'

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
  return transact(ctx, async (txn) => {
    const { actor } = txn
    // One at a time for each person, so that the same question is not asked twice.
    if (!(await txn.em.findOne(User, { id: actor.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })))
      throw notFound('user')
    const asked = await txn.em.findOne(
      Consent,
      {
        userId: actor.id,
        keyId: actor.keyId ?? null,
        actHash: wanted.actHash,
        usedOn: null,
        expiresAt: { $gt: txn.clock.date() },
        // A program that asks its person itself may ask again after a no.
        $or: [{ agreed: null }, { agreed: true }, { answeredHow: 'login' }],
      },
      { orderBy: { id: 'desc' } },
    )
    if (asked) {
      record(txn, asked, 'consent.request')
      return toConsent(asked, txn.clock.date())
    }
    if ((await countRecent(txn, actor.id)) >= most)
      throw new DomainError(
        'UNPROCESSABLE',
        `Within ten minutes a person is asked about ${most} acts at the most; wait until some have expired`,
      )
    const row = txn.em.create(Consent, {
      id: txn.newId(),
      userId: actor.id,
      keyId: actor.keyId ?? null,
      assistant: txn.trace.assistant ?? 'unnamed',
      ...wanted,
      agreed: null,
      answeredHow: null,
      answeredOn: null,
      usedOn: null,
      expiresAt: new Date(txn.clock.now() + lifetimeMs),
      createdOn: txn.clock.date(),
    })
    record(txn, row, 'consent.request')
    return toConsent(row, txn.clock.date())
  })
}

/** One act that the caller's person is asked about. Serves `GET /cli/v1/consents/:id`. @throws DomainError `NOT_FOUND` */
export function getConsent(ctx: Ctx, id: string): Promise<ConsentItem> {
  return transact(ctx, async (txn) => toConsent(await find(txn, id), txn.clock.date()))
}

/**
 * A person agrees to an act, or does not. A key cannot: what an assistant has must not let it agree. Serves
 * `POST /cli/v1/consents/:id/answer`.
 * @throws DomainError `NOT_FOUND`; `FORBIDDEN` to anything but a login; `CONFLICT` when it was answered or has expired
 */
export function answerConsent(ctx: Ctx, id: string, { agreed }: ConsentAnswer): Promise<ConsentItem> {
  if (ctx.actor.type !== 'human' || ctx.trace.assistant !== undefined)
    throw new DomainError('FORBIDDEN', 'A person agrees with a login of their own, not a program with a key')
  return transact(ctx, async (txn) => {
    const row = await find(txn, id)
    require(txn, row, 'pending')
    answer(txn, row, agreed, 'login')
    return toConsent(row, txn.clock.date())
  })
}

/**
 * Uses up what a person has agreed to, just before it is carried out: once, by the key that asked. With `elicited` the program
 * has asked the person itself, and tells the answer. Serves `POST /cli/v1/consents/:id/use`.
 * @returns what has become of it: `used`, or `declined` where the person who was asked said no
 * @throws DomainError `NOT_FOUND`; `CONFLICT` with `details.reason` when it is another act, or there is no consent to it
 */
export function useConsent(ctx: Ctx, id: string, { actHash, elicited }: ConsentUse): Promise<ConsentItem> {
  return transact(ctx, async (txn) => {
    const row = await find(txn, id)
    if (row.keyId !== (txn.actor.keyId ?? null)) throw notFound('consent')
    if (row.actHash !== actHash)
      throw refused('changed', 'What was shown is not what would be done: the act has changed since')
    if (elicited && consentStatus(row, txn.clock.date()) === 'pending')
      answer(txn, row, elicited === 'accepted', 'elicitation')
    if (elicited === 'declined' && row.agreed === false) return toConsent(row, txn.clock.date())
    require(txn, row, 'agreed')
    row.usedOn = txn.clock.date()
    record(txn, row, 'consent.use')
    return toConsent(row, txn.clock.date())
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

async function find({ em, actor }: Transaction, id: string): Promise<ConsentRow> {
  const row = await em.findOne(Consent, { id, userId: actor.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound('consent')
  return row
}

function answer(txn: Transaction, row: ConsentRow, agreed: boolean, answeredHow: AnswerWay): void {
  Object.assign(row, { agreed, answeredHow, answeredOn: txn.clock.date() })
  record(txn, row, agreed ? 'consent.agree' : 'consent.decline')
}

const standing: Record<ConsentStatus, string> = {
  pending: 'No person has agreed to this yet',
  agreed: 'A person has agreed to this already',
  declined: 'The person did not agree to this',
  used: 'This consent has been used already',
  expired: 'This consent is older than ten minutes',
}

function require(txn: Transaction, row: ConsentRow, wanted: ConsentStatus): void {
  const status = consentStatus(row, txn.clock.date())
  if (status !== wanted) throw refused(status, standing[status])
}

function refused(reason: ConsentStatus | 'changed', message: string): DomainError {
  return new DomainError('CONFLICT', message, { details: { reason } })
}

function record(txn: Transaction, row: ConsentRow, action: string): void {
  const { id, operation, line, actHash, assistant, agreed, answeredHow } = row
  txn.audit({
    resourceType: 'consent',
    resourceId: id,
    after: { operation, line, actHash, assistant, agreed, answeredHow },
    action,
  })
}
