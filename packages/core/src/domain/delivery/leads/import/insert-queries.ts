import { setImmediate } from 'node:timers/promises'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { isThereAlready, type Sql, type SqlValue } from '../../../../platform/database/database.ts'
import { count, select, table } from '../../../../platform/database/read.ts'
import { Lead } from '../entities.ts'
import { areKnown } from './batch-queries.ts'
import type { LeadIndexes } from './lead-index-queries.ts'
import type { ReadyLeads } from './ready.ts'
import { asBound, type OwnValues, ownColumns } from './values.ts'

/** What the leads of one transaction of an import have in common. */
export interface Common {
  tenantId: string
  label: string
  importId: string
  /** When they are created. */
  now: Date
  indexes: LeadIndexes
}

/** How many leads one statement adds; others are answered between two. */
const perStatement = 500

/** A lead is there that would be doubled: what was written is to be taken back. */
export class DoubledLead extends Error {
  override name = 'DoubledLead'
}

/** Adds the leads of a part of an import, by their ids: what they share is bound once, which the general way does for each of them. */
export function insertLeads(
  txn: Transaction,
  common: Common,
  leads: ReadonlyMap<string, OwnValues>,
): Promise<void> {
  return inserting(txn, common, leads.size, async (insert) => {
    const sent: Array<Promise<unknown>> = []
    const [ids, values] = [[...leads.keys()], [...leads.values()]]
    // The next ones are made while the database adds these.
    for (let n = 0; n < ids.length; n += perStatement) {
      sent.push(insert(ids.slice(n, n + perStatement), asBound(values.slice(n, n + perStatement))))
      await setImmediate()
    }
    await Promise.all(sent)
  })
}

/**
 * Adds leads that are ready. Nothing is waited for in between: whether one was there already, the database tells by refusing it, and each
 * statement that looks for telephone numbers before the next.
 * @returns how many they are
 * @throws DoubledLead
 */
export async function insertReady(
  txn: Transaction,
  common: Common,
  chunks: readonly ReadyLeads[],
): Promise<number> {
  const leads = chunks.reduce((sum, { count }) => sum + count, 0)
  const insertChunks = async (insert: Insert) => {
    const sent: Array<Promise<unknown>> = []
    const looks: Array<Promise<boolean>> = []
    for (const chunk of chunks) {
      const look = areKnown(txn, common.tenantId, chunk)
      // Told below.
      look.catch(() => undefined)
      looks.push(look)
      const ids = Array.from({ length: chunk.count }, () => txn.newId())
      sent.push(insert(ids, chunk.values))
      await setImmediate()
    }
    // The first fault: once a statement has failed on PostgreSQL all others do, and tell nothing.
    for (const [n, added] of sent.entries()) {
      if (await looks[n]) throw new DoubledLead()
      await added
    }
  }
  try {
    await inserting(txn, common, leads, insertChunks)
    return leads
  } catch (error) {
    throw isThereAlready(error) ? new DoubledLead() : error
  }
}

type Insert = (ids: readonly string[], values: Uint8Array) => Promise<unknown>

async function inserting(
  { tx, db: { dialect } }: Transaction,
  { tenantId, label, importId, now, indexes }: Common,
  count: number,
  work: (insert: Insert) => Promise<void>,
): Promise<void> {
  const before = dialect === 'sqlite' ? await lastNumber(tx) : 0
  await work((ids, values) => {
    const { text, idsOf } = statements[dialect]
    const adding = tx.run(text, [tenantId, label, importId, now, idsOf(ids), values])
    // `work` tells.
    adding.catch(() => undefined)
    return adding
  })
  if (dialect === 'sqlite') await indexes.add(tx, before, count)
}

const seqs = select({ last: count('max(l.seq)') })
const lastNumber = async (tx: Sql) => (await seqs.get(tx, `from ${table(Lead, 'l')}`))?.last ?? 0

const own = Object.values(ownColumns)
const columns = `tenant_id, source_ref, import_id, created_on, updated_on, source, revision, assigned_to_id, id, ${own
  .map(([column]) => column)
  .join(', ')}`

const shared = (...[tenantId, label, importId, now]: [string, string, string, string]) =>
  `${tenantId}, ${label}, ${importId}, ${now}, ${now}, 'import', 0, null`

const inPostgres = own.map(([, type], n) => (type === 'jsonb' ? `v.lead->${n}` : `(v.lead->>${n})::${type}`))

/** All ids have the same length. */
const idLength = 26

/** Lists of values and the ids that belong to them, each in one piece: neither side makes objects of them. */
const statements = {
  sqlite: {
    text: `insert into leads (${columns})
      select ${shared('c.column1', 'c.column2', 'c.column3', 'c.column4')},
        cast(substr(c.column5, 1 + ${idLength} * v.key, ${idLength}) as text), ${own.map((_, n) => `v.value->>${n}`).join(', ')}
      from (values (?, ?, ?, ?, ?)) c cross join jsonb_each(cast(? as text)) v`,
    // A part of bytes is found at once, one of a text by counting its characters.
    idsOf: (ids: readonly string[]): SqlValue => Buffer.from(ids.join('')),
  },
  postgresql: {
    text: `insert into leads (${columns})
      select ${shared('$1', '$2', '$3', '$4::timestamptz')}, v.id, ${inPostgres.join(', ')}
      from rows from (unnest(string_to_array($5, ',')), jsonb_array_elements(convert_from($6::bytea, 'UTF8')::jsonb)) v (id, lead)`,
    idsOf: (ids: readonly string[]): SqlValue => ids.join(),
  },
}

/** PostgreSQL looks at a table again when it is so many times as large as it was. */
const growth = 5

const hasGrown = `select 1 from pg_class where oid = 'leads'::regclass and pg_relation_size(oid) >
  ${growth} * greatest(relpages, 1) * current_setting('block_size')::int`

/**
 * Has PostgreSQL look at how many leads there are if they have become many more: until it does so by itself, a minute later, it would plan
 * for the few that there were. It takes half a second. SQLite needs no such thing.
 */
export async function noteGrowth({ db }: Ctx): Promise<void> {
  if (db.dialect === 'postgresql' && (await db.sql.get(hasGrown))) await db.sql.run('analyze leads')
}
