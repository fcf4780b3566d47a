import type { Ctx } from '../../../kernel/context.ts'
import { like, select, table } from '../../../platform/database/read.ts'
import { Lead } from './entities.ts'
import { beyondOf, inOrder, type Stretch } from './order-queries.ts'
import { wordsOf } from './policy.ts'

const l = table(Lead, 'l')

/**
 * The numbers of the leads of a stretch in which each word of a search begins some word of the name or the e-mail address.
 */
export async function foundBy(ctx: Ctx, search: string, stretch: Stretch): Promise<number[]> {
  const words = wordsOf(search)
  if (words.length === 0) return []
  return ctx.db.dialect === 'sqlite' ? inSqlite(ctx, words, stretch) : inPostgres(ctx, words, stretch)
}

/** Words are letters and digits, so that nothing in them is an operator; no word begins with one of the two marks. */
function termsOf({ tenantId, status, source }: Stretch, words: readonly string[]) {
  return {
    beginnings: words.map((word) => tenantId + word),
    whole: [
      ...(status ? [`${tenantId}§${status}`] : []),
      ...(source ? [`${tenantId}¶${source.replaceAll('_', '')}`] : []),
    ],
  }
}

const rowids = select({ seq: like(l.seq, 'rowid') })

/**
 * The index of words has the leads in their order, status and source of each as words of their own (0044-lead-order), and the first
 * letters of words: it finds a page without a look at the leads.
 */
async function inSqlite(ctx: Ctx, words: readonly string[], stretch: Stretch): Promise<number[]> {
  const { order, most } = stretch
  const { beginnings, whole } = termsOf(stretch, words)
  const terms = [...beginnings.map((word) => `"${word}" *`), ...whole.map((word) => `"${word}"`)]
  const { is, value } = beyondOf(stretch)
  const rows = await rowids.all(
    ctx.sql,
    `from lead_words where lead_words match ? and rowid ${is} ? order by rowid ${order} limit ?`,
    [terms.join(' AND '), value, most],
  )
  return rows.map(({ seq }) => seq)
}

/** How many leads are looked at in their order before the index of words is asked, which has them in none; of several ranges so many each. */
const walked = 2_000
const walkedInRanges = 500

const numbers = select({ seq: like(l.seq, 'l.seq') })

/** What many leads have is found among the first of the list; what few have, by the index. */
async function inPostgres(ctx: Ctx, words: readonly string[], stretch: Stretch): Promise<number[]> {
  const { status, source, order, most } = stretch
  const isOneRange = (status === undefined) === (source === undefined)
  const nearest = isOneRange ? walked : walkedInRanges
  const near = inOrder(ctx, stretch, nearest)
  const matching = words.map(() => 'l.words like ?').join(' and ')
  const some = await numbers.all(
    ctx.sql,
    `from (select * from (${near.sql}) q order by q.seq ${order} limit ${nearest}) l
     where ${matching} order by l.seq ${order} limit ?`,
    [...near.params, ...words.map((word) => `% ${word}%`), most],
  )
  if (some.length === most) return some.map(({ seq }) => seq)
  const { beginnings, whole } = termsOf(stretch, words)
  const terms = [...beginnings.map((word) => `'${word}':*`), ...whole.map((word) => `'${word}'`)]
  const rows = await numbers.all(ctx.sql, 'from leads_found(?, ?, ?, ?) l (seq)', [
    terms.join(' & '),
    beyondOf(stretch).value,
    order === 'desc',
    most,
  ])
  return rows.map(({ seq }) => seq)
}
