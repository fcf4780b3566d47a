import { z } from 'zod'
import { defineEvent } from '../../../kernel/events.ts'

const publication = z.object({
  publicationId: z.string(),
  activityId: z.string(),
  channelId: z.string(),
  channelType: z.string(),
  title: z.string(),
})

/** A piece is out. */
export const contentPublished = defineEvent(
  'content_published',
  publication.extend({ url: z.string().optional() }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

/** A newer text of a piece has taken the place of the one that was out. */
export const contentUpdated = defineEvent(
  'content_updated',
  publication.extend({ url: z.string().optional() }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

/** A piece is not out, or no one can tell: a person has to see to it. */
export const publicationStopped = defineEvent(
  'publication_stopped',
  publication.extend({ status: z.enum(['failed', 'held', 'unknown']), reason: z.string() }),
  { audiences: ['tenant', 'reviewers'], webhook: true },
)

/** A piece was taken back. */
export const contentRemoved = defineEvent('content_removed', publication, {
  audiences: ['tenant', 'reviewers'],
  webhook: true,
})
