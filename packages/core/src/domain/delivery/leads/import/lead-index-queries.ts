import type { Sql } from '../../../../platform/database/database.ts'
import { count, select, text } from '../../../../platform/database/read.ts'

/** So many identities stay in the small table: all of it is changed by each transaction. */
const kept = 20_000

/** As seen from the last one, the first ones follow. */
const beginning = { tenantId: '', identity: '' }

const added = select({ count: count('count(*)') })
const places = select({ tenantId: text('k.tenant_id'), identity: text('k.identity') })

/**
 * SQLite: takes the leads of an import into the indexes of words and identities, which triggers do for other leads, at twice the cost.
 * Identities are added to a small table, and taken over from there into the large one as many as came, in their order and from where the last
 * ones were: so those that are neighbours there, and change the same pages of it, are written together.
 */
export class LeadIndexes {
  #reached = beginning

  /**
   * Takes in all leads with higher numbers.
   * @param leads how many they are
   * @throws SqliteError for an identity that is there already; see `isThereAlready`
   */
  async add(tx: Sql, before: number, leads: number): Promise<void> {
    const [, , found] = await Promise.all([
      tx.run(addIdentities, [before]),
      // In one statement, since at the end of each the index of words writes a part that has to be merged later.
      tx.run(addWords, [before]),
      // Where others have added very many, it takes several transactions until they are taken over.
      added.get(tx, 'from (select 1 from lead_identities_added limit ?) k', [kept + 2 * leads]),
    ])
    const most = (found?.count ?? 0) - kept
    if (most > 0) await this.#takeOver(tx, most)
  }

  async #takeOver(tx: Sql, most: number): Promise<void> {
    const { tenantId, identity } = this.#reached
    const last = await places.get(
      tx,
      `from (select tenant_id, identity from lead_identities_added where (tenant_id, identity) > (?, ?)
        order by tenant_id, identity limit ?) k order by k.tenant_id desc, k.identity desc limit 1`,
      [tenantId, identity, most],
    )
    this.#reached = last ?? beginning
    if (!last) return
    const stretch = [tenantId, identity, last.tenantId, last.identity]
    await Promise.all([tx.run(copy, stretch), tx.run(remove, stretch)])
  }
}

// Not ordered by the tenant, which all share: an index that begins with it would be gone through as a whole.
const addIdentities = `insert into lead_identities_added (tenant_id, identity, seq)
  select l.tenant_id, l.identity, l.seq from leads l where l.seq > ? and l.identity is not null order by l.identity`

const addWords = `insert into lead_words (rowid, words)
  select l.seq, replace(l.words || ' §' || l.status || ' ¶' || replace(l.source, '_', ''), ' ', ' ' || l.tenant_id)
  from leads l where l.seq > ?`

const within = '(k.tenant_id, k.identity) > (?, ?) and (k.tenant_id, k.identity) <= (?, ?)'
const copy = `insert into lead_identities (tenant_id, identity, seq)
  select k.tenant_id, k.identity, k.seq from lead_identities_added k where ${within} order by k.tenant_id, k.identity`
const remove = `delete from lead_identities_added as k where ${within}`
