import { isDeepStrictEqual } from 'node:util'
import { sha256Hex } from '../../platform/crypto/hash.ts'
import { ThreadFault } from '../../platform/threads/threads.ts'
import type { Ctx } from '../context.ts'
import { inThread } from '../in-thread.ts'
import { type Comparison, filledIn, type Outline, outlinesOf, type TextPair, wholes } from './compare.ts'
import type { VersionData } from './entities.ts'
import type { FieldChange } from './schemas.ts'

/** Texts that are shorter together than this, characters, are compared at once: a thread would take longer. */
const shortPair = 400

/** Outlines of the comparisons that were made last, by the hashes of the two texts. They hold no text. */
export type RecentComparisons = Map<string, Promise<Outline>>
const mostRecent = 500

/**
 * What was taken out of a text and put into it. Long texts are compared in a thread, and the same two only once.
 * @throws DomainError `THROTTLED` when the caller has too many texts compared at the same time
 */
export async function compareTexts(ctx: Ctx, before: string, after: string): Promise<Comparison> {
  const [comparison] = await compareAll(ctx, [[before, after]])
  return comparison as Comparison
}

/**
 * Every field that differs from one state to another, in the order of the names; of two texts also what differs in them.
 * @throws DomainError `THROTTLED` as `compareTexts`
 */
export async function compareData(ctx: Ctx, before: VersionData, after: VersionData): Promise<FieldChange[]> {
  const changes = changedFields(before, after)
  const texts = changes.flatMap(({ before: left, after: right }, at) =>
    typeof left === 'string' && typeof right === 'string' ? [{ at, pair: [left, right] as const }] : [],
  )
  const compared = await compareAll(
    ctx,
    texts.map(({ pair }) => pair),
  )
  for (const [index, { at }] of texts.entries()) {
    const { parts, ...rest } = compared[index] as Comparison
    Object.assign(changes[at] as FieldChange, { diff: parts, ...rest } satisfies Partial<FieldChange>)
  }
  return changes
}

async function compareAll(ctx: Ctx, pairs: readonly TextPair[]): Promise<Comparison[]> {
  const { comparisons: recent } = ctx.services
  const keyed = pairs.map((pair) => ({ pair, key: isLong(pair) ? keyOf(pair) : undefined }))
  const missing = new Map<string, TextPair>()
  for (const { pair, key } of keyed) if (key !== undefined && !recent.has(key)) missing.set(key, pair)
  compareInThread(ctx, missing)
  const outlines = keyed.map(({ pair, key }) => {
    const known = key === undefined ? undefined : recent.get(key)
    return known ?? Promise.resolve(outlinesOf([pair])[0])
  })
  const found = await Promise.all(outlines)
  return pairs.map((pair, at) => filledIn(found[at] as Outline, pair))
}

/** Notes what is being compared, so that anyone who asks for the same meanwhile waits for it and asks for nothing. */
function compareInThread(ctx: Ctx, pairs: ReadonlyMap<string, TextPair>): void {
  if (pairs.size === 0) return
  const { comparisons: recent } = ctx.services
  const all = outlinesInThread(ctx, [...pairs.values()])
  for (const [at, key] of [...pairs.keys()].entries()) {
    const one = all.then((outlines) => outlines[at] as Outline)
    recent.set(key, one)
    one.catch(() => recent.delete(key))
  }
  for (const oldest of recent.keys()) {
    if (recent.size <= mostRecent) break
    recent.delete(oldest)
  }
}

async function outlinesInThread(ctx: Ctx, pairs: readonly TextPair[]): Promise<Outline[]> {
  try {
    return await inThread(ctx, 'compare', pairs)
  } catch (error) {
    if (!(error instanceof ThreadFault)) throw error
    ctx.log.warn('two texts were too much to compare', { error })
    return pairs.map(([before, after]) => wholes(before, after))
  }
}

const isLong = ([before, after]: TextPair) => before !== after && before.length + after.length > shortPair

const keyOf = (pair: TextPair) => pair.map(sha256Hex).join(' ')

function changedFields(before: VersionData, after: VersionData): FieldChange[] {
  const changes: FieldChange[] = []
  const visit = (left: unknown, right: unknown, field: string) => {
    if (isDeepStrictEqual(left, right)) return
    if (isRecord(left) && isRecord(right)) {
      const names = new Set([...Object.keys(left), ...Object.keys(right)])
      for (const name of [...names].toSorted())
        visit(left[name], right[name], field === '' ? name : `${field}.${name}`)
      return
    }
    changes.push({
      field,
      ...(left !== undefined && { before: left }),
      ...(right !== undefined && { after: right }),
    })
  }
  visit(before, after, '')
  return changes
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
