import type { Ctx } from '../../../kernel/context.ts'
import { like, select, table } from '../../../platform/database/read.ts'
import { Lead } from './entities.ts'
import { beyondOf, inOrder, type Stretch } from './order-queries.ts'
import { wordsOf } from './policy.ts'

const l = table(Lead, 'l')

/** How many leads are looked at in their order before the index of words is asked. */
const walked = 250

const near = select({ seq: like(l.seq, 'l.seq'), words: like(l.words, 'l.words') })

/**
 * The numbers of the leads of a stretch in which each word of a search begins some word of the name or the e-mail address. What many
 * leads have is found among the first of the list, where the index of words would have to put many in order; so is what few leads there
 * are at all. What few have, or others than the first ones, is found by the index.
 */
export async function foundBy(ctx: Ctx, search: string, stretch: Stretch): Promise<number[]> {
  const words = wordsOf(search)
  if (words.length === 0) return []
  const { sql, params } = inOrder(ctx, stretch, walked)
  const first = await near.all(ctx.sql, `from (${sql}) l order by l.seq ${stretch.order} limit ?`, [
    ...params,
    walked,
  ])
  const found = first.filter((lead) => words.every((word) => lead.words.includes(` ${word}`)))
  if (found.length >= stretch.most || first.length < walked)
    return found.slice(0, stretch.most).map(({ seq }) => seq)
  return ctx.db.dialect === 'sqlite' ? inSqlite(ctx, words, stretch) : inPostgres(ctx, words, stretch)
}

/**
 * Words are letters and digits, so that nothing in them is an operator; no word begins with one of the two marks.
 * @param begin what each term begins with
 */
function termsOf(begin: string, { status, source }: Stretch, words: readonly string[]) {
  return {
    beginnings: words.map((word) => begin + word),
    whole: [
      ...(status ? [`${begin}§${status}`] : []),
      ...(source ? [`${begin}¶${source.replaceAll('_', '')}`] : []),
    ],
  }
}

const rowids = select({ seq: like(l.seq, 'rowid') })

/**
 * The index of words has the leads in their order, status and source of each as words of their own (0044-lead-order), and the first
 * letters of words: it finds a page without a look at the leads.
 */
async function inSqlite(ctx: Ctx, words: readonly string[], stretch: Stretch): Promise<number[]> {
  const { tenantId, order, most } = stretch
  const { beginnings, whole } = termsOf(tenantId, stretch, words)
  const terms = [...beginnings.map((word) => `"${word}" *`), ...whole.map((word) => `"${word}"`)]
  const { is, value } = beyondOf(stretch)
  const rows = await rowids.all(
    ctx.sql,
    `from lead_words where lead_words match ? and rowid ${is} ? order by rowid ${order} limit ?`,
    [terms.join(' AND '), value, most],
  )
  return rows.map(({ seq }) => seq)
}

const numbers = select({ seq: like(l.seq, 'l.seq') })

/**
 * The index of words has them in no order, and is asked about one block of leads after the other (0056-lead-blocks): however many have a
 * word, no more than those of a block are read.
 */
async function inPostgres(ctx: Ctx, words: readonly string[], stretch: Stretch): Promise<number[]> {
  const { tenantId, order, most } = stretch
  const { beginnings, whole } = termsOf('#', stretch, words)
  const terms = [...beginnings.map((word) => `'${word}':*`), ...whole.map((word) => `'${word}'`)]
  const rows = await numbers.all(ctx.sql, 'from leads_found(?, ?, ?, ?, ?) l (seq)', [
    tenantId,
    terms.join(' & '),
    beyondOf(stretch).value,
    order === 'desc',
    most,
  ])
  return rows.map(({ seq }) => seq)
}
