import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import { AdChangeSet } from '../changes/entities.ts'
import type { MappingRow } from '../entities.ts'
import type { PlatformEvent } from '../platform.ts'
import { OutsideChange } from './entities.ts'
import type { OwnSet } from './policy.ts'
import type { OutsideChangeItem } from './schemas.ts'

const o = table(OutsideChange, 'o')
const s = table(AdChangeSet, 's')

const shown = select(pick(o, 'id', 'at', 'who', 'via', 'currency', 'changes'))

/** How many are shown beside change sets, and kept of each campaign at a platform. */
const mostShown = 20
const mostKept = 500
/** More sets than these are not looked through. */
const mostSets = 1_000

/** The latest changes of a campaign that were made outside, newest first. */
export async function outsideChangesOf(ctx: Ctx, campaignId: string): Promise<OutsideChangeItem[]> {
  const meant = where(within(ctx.scope, 'o.tenant_id'), equals(o.campaignId, campaignId))
  const rows = await shown.all(
    ctx.sql,
    `from ${o} where ${meant.sql} order by o.at desc, o.id desc limit ?`,
    [...meant.params, mostShown],
  )
  return rows.map(({ changes, ...row }) => ({ ...row, changes: changes.map((one) => ({ ...one })) }))
}

const own = select(pick(s, 'items', 'approvedOn', 'appliedOn', 'nextAt', 'updatedOn'))

/** The change sets of a campaign at a platform that were sent since then, the latest ones where there are many. */
export async function ownSetsSince(
  { sql }: Pick<Ctx, 'sql'>,
  { id, campaignId }: Pick<MappingRow, 'id' | 'campaignId'>,
  since: Date,
): Promise<OwnSet[]> {
  const rows = await own.all(
    sql,
    `from ${s} where s.campaign_id = ? and s.mapping_id = ? and s.attempt > 0 and s.updated_on >= ? order by s.id desc limit ?`,
    [campaignId, id, since, mostSets],
  )
  return rows.map(({ items, approvedOn, appliedOn, nextAt, updatedOn }) => ({
    items,
    approvedOn,
    endedOn: appliedOn ?? (nextAt === null ? updatedOn : null),
  }))
}

const kept = {
  table: 'ad_outside_changes',
  key: ['mapping_id', 'external_key'],
  fixed: ['id', 'tenant_id', 'campaign_id', 'at', 'currency', 'changes', 'seen_on'],
  values: ['who', 'via'],
  stamp: [],
}

/** Keeps events that are not ours, each once, and the latest of a mapping only. */
export async function keepOutside(
  txn: Transaction,
  { id: mappingId, tenantId, campaignId, currency }: MappingRow,
  events: readonly PlatformEvent[],
): Promise<void> {
  const now = txn.clock.date()
  const rows = events.map(({ key, at, who, via, parts }) => ({
    id: txn.newId(),
    tenant_id: tenantId,
    campaign_id: campaignId,
    mapping_id: mappingId,
    external_key: key,
    at,
    who,
    via,
    currency,
    changes: JSON.stringify(parts.map(({ label, before, after }) => ({ label, before, after }))),
    seen_on: now,
  }))
  await upsertRows(txn.tx, kept, rows)
  await txn.tx.run(
    `delete from ad_outside_changes where mapping_id = ? and id in
       (select o.id from ad_outside_changes o where o.mapping_id = ? order by o.at desc, o.id desc limit 10000 offset ${mostKept})`,
    [mappingId, mappingId],
  )
}

/** Removes what is older than people look back. @returns how many */
export const deleteOutsideBefore = ({ tx }: Pick<Transaction, 'tx'>, mappingId: string, before: Date) =>
  tx.run('delete from ad_outside_changes where mapping_id = ? and at < ?', [mappingId, before])
