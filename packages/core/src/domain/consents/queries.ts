import type { Row, Sql } from '../../platform/database/database.ts'
import { asDate, asInstant } from '../../platform/database/row.ts'
import type { Command, Ctx } from '../context.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { statusOf } from './status.ts'
import type { ConsentItem, ConsentQuery } from './schemas.ts'

/**
 * What assistants have asked the caller for and can still be answered or used, newest first unless asked otherwise. Serves
 * `GET /cli/v1/consents`.
 */
export function listConsents(ctx: Ctx, query: ConsentQuery): Promise<Page<ConsentItem>> {
  const now = ctx.clock.date()
  return readPage(
    ctx,
    {
      select: 'select c.* from consents c',
      id: 'c.id',
      rows: where(equals('c.user_id', ctx.actor.id)),
      filters: [
        { sql: 'c.used_on is null and c.expires_at > ?', params: [now] },
        { sql: 'c.agreed is null or c.agreed = ?', params: [true] },
      ],
      request: query,
    },
    (row: Row) => toItem(row, now),
  )
}

/** How many acts wait for somebody, or were answered a moment ago. */
export async function countRecent({ tx, clock }: Command, userId: string): Promise<number> {
  const row = await tx.get<{ total: unknown }>(
    'select count(*) as total from consents where user_id = ? and expires_at > ?',
    [userId, clock.date()],
  )
  return Number(row?.total ?? 0)
}

/** Removes what expired before then. @returns how many */
export function deleteConsentsBefore(tx: Sql, before: Date): Promise<number> {
  return tx.run('delete from consents where expires_at < ?', [before])
}

function toItem(row: Row, now: Date): ConsentItem {
  const agreed = row.agreed === null ? null : Boolean(row.agreed)
  const usedOn = asDate(row.used_on)
  const expiresAt = asInstant(row.expires_at)
  return {
    id: row.id as string,
    status: statusOf({ agreed, usedOn, expiresAt }, now),
    assistant: row.assistant as string,
    operation: row.operation as string,
    line: row.line as string,
    touches: row.touches as string,
    answeredHow: row.answered_how as ConsentItem['answeredHow'],
    answeredOn: asDate(row.answered_on),
    createdOn: asInstant(row.created_on),
    expiresAt,
  }
}
