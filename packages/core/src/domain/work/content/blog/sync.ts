import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { normalize } from '../../../../kernel/text.ts'
import { User } from '../../../accounts/identity/entities.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { Approval, ApprovalLink, type ApprovalRow } from '../../approvals/entities.ts'
import { approvalOf } from '../../approvals/pending.ts'
import { Output, type OutputRow } from '../entities.ts'
import { requestedPostId } from '../requests/complete.ts'
import { BlogPost, type PostRow, type PostStatus } from './entities.ts'
import { metaDescriptionOf, slugOf, titleOf, wordCountOf } from './markdown.ts'
import { slugsLike } from './queries.ts'

/**
 * Makes the blog post of a piece what its newest version and the approvals of exactly that version say. Called in every
 * transaction that changes either, so that post and approvals never disagree. What is no blog post is left alone, and so
 * is a version that no one was asked about yet. The caller holds the activity's lock.
 */
export async function syncPost(txn: Transaction, activity: ActivityRow): Promise<void> {
  if (activity.deliverableType !== 'blog_post' || !activity.isFinalStep) return
  await txn.em.flush()
  const newest = { orderBy: { version: 'desc' } } as const
  const output = await txn.em.findOne(Output, { activityId: activity.id }, newest)
  const reviews = output ? await reviewsOf(txn, activity.id, output.sha256) : []
  const last = reviews.at(-1)
  if (!output || !last) return
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const known = await txn.em.findOne(BlogPost, { activityId: activity.id }, { lockMode })
  const post = known ?? (await create(txn, activity, output, last))
  if (post.status === 'published') return
  if (post.outputId !== output.id) await takeVersion(txn, post, output)
  const before = post.status
  const { status, by } = stateOf(reviews, last)
  post.status = status ?? post.status
  // What has expired is asked about again under the same version.
  post.approvalId = (reviews.findLast(({ forwardedFrom }) => forwardedFrom === null) ?? last).id
  if (status === 'client_approved') await noteApprover(txn, post, by)
  if (status === 'rejected') post.dmRejectionNote = by.resolutionNote
  post.updatedOn = txn.clock.date()
  if (known && before === post.status) return
  txn.audit({
    tenantId: post.tenantId,
    resourceType: 'blog_post',
    resourceId: post.id,
    before: known ? { status: before } : null,
    after: { status: post.status, version: post.version, contentHash: post.contentHash },
  })
}

/**
 * Makes a post that is out what has taken its place there: a version that people have approved. Its address stays. The caller holds the
 * activity's lock.
 */
export async function renewPublishedPost(
  txn: Transaction,
  activity: Pick<ActivityRow, 'id'>,
  output: OutputRow,
): Promise<void> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const post = await txn.em.findOne(BlogPost, { activityId: activity.id }, { lockMode })
  if (post?.status !== 'published' || post.outputId === output.id) return
  const title = titleOf(output.text)
  Object.assign(post, contentsOf(output), notApproved, {
    title,
    titleKey: normalize(title),
    updatedOn: txn.clock.date(),
  })
  const verdict = await approvalOf(txn, activity, output)
  if (!verdict) return
  post.approvalId = verdict.forwardedFrom ?? verdict.id
  await noteApprover(txn, post, verdict)
}

/** The approvals of one version of an activity's text, oldest first. */
async function reviewsOf(txn: Transaction, activityId: string, contentHash: string): Promise<ApprovalRow[]> {
  const links = await txn.em.find(ApprovalLink, { activityId, blocking: true })
  const ids = links.map(({ approvalId }) => approvalId)
  return txn.em.find(Approval, { id: { $in: ids }, contentHash }, { orderBy: { id: 'asc' } })
}

/** What the approvals of a version add up to; undefined when all have expired, which decides nothing. */
function stateOf(
  reviews: readonly ApprovalRow[],
  last: ApprovalRow,
): { status: PostStatus | undefined; by: ApprovalRow } {
  const approved = reviews.findLast(({ status }) => status === 'approved')
  if (approved) return { status: 'client_approved', by: approved }
  const open = reviews.filter(({ status }) => status === 'pending')
  const atClient = open.findLast(({ forwardedFrom }) => forwardedFrom !== null)
  if (atClient) return { status: 'client_review', by: atClient }
  const inReview = open.at(-1)
  if (inReview) return { status: 'dm_review', by: inReview }
  return { status: last.status === 'rejected' ? 'rejected' : undefined, by: last }
}

async function noteApprover(
  txn: Transaction,
  post: PostRow,
  { resolvedById, resolvedByName, resolvedAt }: ApprovalRow,
) {
  const user = resolvedById && (await txn.em.findOne(User, { id: resolvedById }, { fields: ['tenantId'] }))
  const isClient = user && user.tenantId === post.tenantId
  if (isClient) {
    post.clientApprovedBy ??= resolvedByName
    post.clientApprovedAt ??= resolvedAt
  } else {
    post.dmApprovedBy ??= resolvedByName
    post.dmApprovedAt ??= resolvedAt
  }
  post.dmRejectionNote = null
}

async function create(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
  { id: approvalId }: ApprovalRow,
): Promise<PostRow> {
  const title = titleOf(output.text)
  const now = txn.clock.date()
  return txn.em.create(BlogPost, {
    id: (await requestedPostId(txn, activity)) ?? txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    ...(await named(txn, activity.tenantId, title)),
    ...contentsOf(output),
    status: 'dm_review',
    approvalId,
    ...notApproved,
    dmRejectionNote: null,
    publishedAt: null,
    createdOn: now,
    updatedOn: now,
  })
}

/** A new version was approved by no one yet. */
async function takeVersion(txn: Transaction, post: PostRow, output: OutputRow): Promise<void> {
  const title = titleOf(output.text)
  if (title !== post.title) Object.assign(post, await named(txn, post.tenantId, title, post.slug))
  Object.assign(post, contentsOf(output), notApproved)
}

const notApproved = {
  dmApprovedBy: null,
  dmApprovedAt: null,
  clientApprovedBy: null,
  clientApprovedAt: null,
}

function contentsOf(output: OutputRow) {
  return {
    version: output.version,
    outputId: output.id,
    contentHash: output.sha256,
    wordCount: wordCountOf(output.text),
    metaDescription: metaDescriptionOf(output.text),
  }
}

/** A title with a slug that no other post of the tenant has; two that are made at once wait for each other. */
async function named(txn: Transaction, tenantId: string, title: string, own?: string) {
  const base = slugOf(title)
  await txn.em.findOne(Tenant, { id: tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  const taken = await slugsLike(txn, tenantId, base)
  if (own !== undefined) taken.delete(own)
  let slug = base
  for (let n = 2; taken.has(slug); n += 1) slug = `${base}-${n}`
  return { title, titleKey: normalize(title), slug }
}
