import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { count, pick, select, table } from '../../../platform/database/read.ts'
import { Consent, type ConsentRow } from './entities.ts'
import type { ConsentItem, ConsentQuery, ConsentStatus } from './schemas.ts'

const c = table(Consent, 'c')

const consent = select(
  pick(
    c,
    'id',
    'assistant',
    'operation',
    'line',
    'touches',
    'agreed',
    'answeredHow',
    'answeredOn',
    'usedOn',
    'createdOn',
    'expiresAt',
  ),
)

/**
 * What assistants have asked the caller for and can still be answered or used, newest first unless asked otherwise. Serves
 * `GET /cli/v1/consents`.
 */
export function listConsents(ctx: Ctx, query: ConsentQuery): Promise<Page<ConsentItem>> {
  const now = ctx.clock.date()
  return readPage(
    ctx,
    {
      select: consent,
      from: `from ${c}`,
      id: c.id,
      rows: where(equals(c.userId, ctx.actor.id)),
      filters: [
        { sql: 'c.used_on is null and c.expires_at > ?', params: [now] },
        { sql: 'c.agreed is null or c.agreed = ?', params: [true] },
      ],
      request: query,
    },
    (row) => toConsent(row, now),
  )
}

const recent = select({ total: count('count(*)') })

/** How many acts wait for someone, or were answered a moment ago. */
export async function countRecent({ tx, clock }: Transaction, userId: string): Promise<number> {
  const row = await recent.get(tx, `from ${c} where c.user_id = ? and c.expires_at > ?`, [
    userId,
    clock.date(),
  ])
  return row?.total ?? 0
}

/** Removes what expired before then. @returns how many */
export function deleteConsentsBefore(tx: Sql, before: Date): Promise<number> {
  return tx.run('delete from consents where expires_at < ?', [before])
}

type Standing = Pick<ConsentRow, 'agreed' | 'usedOn' | 'expiresAt'>

/** What has become of a consent by `now`. */
export function consentStatus({ agreed, usedOn, expiresAt }: Standing, now: Date): ConsentStatus {
  if (usedOn) return 'used'
  if (agreed === false) return 'declined'
  if (expiresAt <= now) return 'expired'
  return agreed ? 'agreed' : 'pending'
}

/** A consent as it is shown, as of `now`. */
export function toConsent(row: Omit<ConsentItem, 'status'> & Standing, now: Date): ConsentItem {
  const { id, assistant, operation, line, touches, answeredHow, answeredOn, createdOn, expiresAt } = row
  const status = consentStatus(row, now)
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
