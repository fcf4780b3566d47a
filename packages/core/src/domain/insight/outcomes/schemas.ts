import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { channelTypes } from '../../accounts/channels/entities.ts'
import { mailingStatuses } from '../../delivery/mailings/schemas.ts'
import { publicationStatuses } from '../../delivery/publishing/entities.ts'

/** Null: not counted there, or not read yet. */
const figure = z.int().nullable()

/** Where a piece went, and what became of it there until now. */
export const PiecePlace = z.object({
  kind: z.enum(['publication', 'mailing']),
  /** Of the publication, or of the mailing to the tenant's own leads. */
  id: ulid,
  channelType: z.enum(channelTypes).nullable(),
  status: z.enum([...new Set([...publicationStatuses, ...mailingStatuses])]),
  url: z.string().nullable(),
  /** When it went out, or will. */
  at: isoDate,
  impressions: figure,
  /** Reactions, comments and shares. */
  responses: figure,
  clicks: figure,
  deliveries: figure,
  opens: figure,
  /** Of its page, as web analytics and the search console count them. */
  views: figure,
  searchClicks: figure,
})

const ApprovedPiece = z.object({
  approvalId: ulid,
  activityId: ulid,
  tenantId: ulid,
  tenantName: z.string(),
  title: z.string(),
  approvedAt: isoDate,
  /** Empty as long as it goes nowhere. */
  places: z.array(PiecePlace),
})
export type ApprovedPiece = z.output<typeof ApprovedPiece>
export type PiecePlace = z.output<typeof PiecePlace>

/** The ten pieces that the caller has approved last, the latest first. */
export const ApprovedPieces = z.object({ data: z.array(ApprovedPiece) })
export type ApprovedPieces = z.output<typeof ApprovedPieces>
