import type { Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { sha256Hex } from '../../../../platform/crypto/hash.ts'
import { Activity } from '../../../work/activities/entities.ts'
import { isApproved } from '../../../work/approvals/pending.ts'
import { latestOutput } from '../../../work/content/versions.ts'
import { isStillApproved } from '../../mailing/approved.ts'
import { ownHosts } from '../../publishing/link-tags/setting.ts'
import type { MappingRow } from '../entities.ts'
import { AdGroup } from '../keywords/entities.ts'
import { requireFinalUrl } from '../texts/final-url.ts'
import { searchAdOf } from '../texts/search-ad.ts'
import { blank, type Draft } from './draft.ts'
import { type AdTexts, adStates, type ChangeItem } from './entities.ts'

/** An ad that is wanted. */
interface AdOrder {
  activityId: string
  adGroupId: string
  finalUrl: string
  /** Where it has to be made of a certain text. */
  contentHash?: string
}

/**
 * A paused ad in an ad group, of the text of an activity as people have approved it.
 * @throws DomainError `NOT_FOUND` on an ad group that is not the campaign's, and an activity that is not the tenant's; `UNPROCESSABLE` when it
 *   is no finished ad copy, no verdict covers its newest text, or that holds no ad, with `details.problems` by line; `VALIDATION_ERROR` on
 *   `finalUrl`; `CONFLICT` for another text
 */
export async function draftAd(
  txn: Transaction,
  { campaignId, tenantId }: MappingRow,
  { activityId, adGroupId, finalUrl, contentHash }: AdOrder,
  field: string,
): Promise<Draft> {
  const group = await txn.em.findOne(AdGroup, { id: adGroupId, campaignId })
  if (!group) throw notFound('ad group', { field: `${field}.adGroupId` })
  // Ad copy is written in campaigns of all types; where it becomes an ad, people say.
  const activity = await txn.em.findOne(Activity, { id: activityId, tenantId })
  if (!activity) throw notFound('activity', { field: `${field}.activityId` })
  const at = { field: `${field}.activityId` }
  if (activity.deliverableType !== 'ad_copy' || !activity.isFinalStep)
    throw new DomainError('UNPROCESSABLE', 'Only finished ad copy becomes an ad', at)
  const output = await latestOutput(txn, activityId)
  if (!output || !(await isApproved(txn, activity, output)))
    throw new DomainError('UNPROCESSABLE', 'No verdict covers the newest text of this activity', at)
  if (contentHash !== undefined && output.sha256 !== contentHash)
    throw new DomainError('CONFLICT', 'The text is another one now: plan an ad of it')
  const texts = requireTexts(output.text, at)
  const url = requireFinalUrl(`${field}.finalUrl`, finalUrl, await ownHosts(txn, tenantId))
  return {
    item: {
      ...blank,
      kind: 'ad',
      label: `Make a paused ad in “${group.name}”: ${shown(texts)}`,
      subjectId: activityId,
      groupId: group.externalId,
      ad: { ...texts, finalUrl: url, contentHash: output.sha256 },
      after: adStates.paused,
    },
    adGroupId,
  }
}

function requireTexts(text: string, at: { field: string }): AdTexts {
  const { texts, problems } = searchAdOf(text)
  if (problems.length === 0) return texts
  const words = problems.map(({ line, message }) => `line ${line}: ${message}`)
  throw new DomainError('UNPROCESSABLE', `The text is no ad yet. ${words.join('; ')}`, {
    ...at,
    details: { problems },
  })
}

const shown = ({ headlines }: AdTexts) => `“${headlines[0] ?? ''}”`

/** The way back of an ad that was made. */
export async function draftAdRemoval(
  txn: Transaction,
  { campaignId }: MappingRow,
  { subjectId, groupId, externalId, ad }: ChangeItem,
): Promise<Draft> {
  const group = await txn.em.findOne(AdGroup, { campaignId, externalId: groupId ?? '' })
  return {
    item: {
      ...blank,
      kind: 'ad',
      label: `Remove the ad in “${group?.name ?? groupId ?? ''}”: ${ad ? shown(ad) : ''}`,
      subjectId,
      groupId,
      externalId,
      ...(ad && { ad }),
      after: null,
    },
    adGroupId: group?.id ?? null,
  }
}

/** What tells an ad that is made from others; undefined for every other item. */
export function nameOfAd({ ad, after, groupId }: ChangeItem): string | undefined {
  if (!ad || after === null) return undefined
  const { headlines, descriptions, finalUrl } = ad
  return sha256Hex(JSON.stringify([groupId, headlines, descriptions, finalUrl]))
}

/** Why an ad is not made after all; undefined when it may be, and for every other item. */
export async function textDrift(
  txn: Transaction,
  { ad, after, subjectId }: ChangeItem,
): Promise<string | undefined> {
  if (!ad || after === null) return undefined
  return (await isStillApproved(txn, subjectId ?? '', ad.contentHash))
    ? undefined
    : 'The newest text of the activity is not the one of this plan, or no verdict covers it: nothing was done'
}
