import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { inThread } from '../../../kernel/in-thread.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { askedAbout, voidOutdated } from '../approvals/supersede.ts'
import { checkContent } from '../brand/checks.ts'
import { brandToCheck } from '../brand/queries.ts'
import type { ContentCheck } from '../brand/schemas.ts'
import { Output, type OutputFormat, type OutputRow } from './entities.ts'
import { handOverAssets } from './pictures.ts'

/** A text that was held against the brand and the knowledge base of its tenant. Only such a text becomes a version. */
export interface CheckedText {
  text: string
  sha256: string
  checks: ContentCheck[]
}

/** Texts with phrases of up to this many characters together are checked at once: a thread would take longer. */
const shortCheck = 10_000

/**
 * Holds a text against the brand of a tenant and its knowledge base as they are now. Called before a transaction is begun: long texts take a while, which
 * they spend in a thread.
 * @throws DomainError `THROTTLED` when the caller has too many texts checked at the same time
 */
export async function checkText(ctx: Ctx, tenantId: string, text: string): Promise<CheckedText> {
  const [brand, knowledge] = [
    await checkBrand(ctx, tenantId, text),
    await checkKnowledge(ctx, tenantId, text),
  ]
  return { text, sha256: sha256Hex(text), checks: [...brand, ...knowledge] }
}

async function checkBrand(ctx: Ctx, tenantId: string, text: string): Promise<ContentCheck[]> {
  const brand = await brandToCheck(ctx, tenantId)
  const { bannedPhrases = [], claims = [] } = brand ?? {}
  const phrases = [...bannedPhrases, ...claims.map(({ phrase }) => phrase)]
  if (phrases.length === 0) return []
  const size = phrases.reduce((sum, one) => sum + one.length, text.length)
  const held = { bannedPhrases, claims }
  return size > shortCheck ? inThread(ctx, 'checks', { text, brand: held }) : checkContent(text, held)
}

/** What cannot be looked up is no reason to refuse a text. */
async function checkKnowledge(ctx: Ctx, tenantId: string, text: string): Promise<ContentCheck[]> {
  try {
    return await ctx.services.tenantKnowledge.check(ctx, tenantId, text)
  } catch (error) {
    ctx.log.warn('a text was not held against the knowledge base', { tenantId, error })
    return []
  }
}

export interface NewVersion {
  content: CheckedText
  format?: OutputFormat
  runId?: string | null
  author: { id: string; name: string; type: 'agent' | 'human' }
}

/** The newest version of an activity's text. */
export async function latestOutput(txn: Transaction, activityId: string): Promise<OutputRow | null> {
  return txn.em.findOne(Output, { activityId }, { orderBy: { version: 'desc' } })
}

/**
 * Keeps a text as the next version of an activity's output, and voids what people were asked about older ones. The same
 * bytes again are no new version. The caller holds the activity's lock.
 * @returns the version that now is the newest, and whether it was made here
 */
export async function addVersion(
  txn: Transaction,
  activity: ActivityRow,
  { content, format = 'markdown', runId = null, author }: NewVersion,
): Promise<{ output: OutputRow; added: boolean }> {
  const [latest, asked] = await Promise.all([latestOutput(txn, activity.id), askedAbout(txn, activity)])
  const { text, sha256, checks } = content
  if (latest?.sha256 === sha256) return { output: latest, added: false }
  const output = txn.em.create(Output, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    runId,
    version: (latest?.version ?? 0) + 1,
    text,
    format,
    sha256,
    checks,
    authorId: author.id,
    authorName: author.name,
    authorType: author.type,
    createdOn: txn.clock.date(),
  })
  await handOverAssets(txn, output, latest)
  await voidOutdated(txn, activity, output, asked)
  return { output, added: true }
}
