import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { channelStatuses, channelTypes } from './entities.ts'

/** A type of channel in a path. */
export const ChannelTypeParam = z.enum(channelTypes)

const Channel = z.object({
  id: ulid,
  name: z.string(),
  type: z.enum(channelTypes),
  status: z.enum(channelStatuses),
  accountName: z.string().optional(),
  /** 0 to 100; absent until it has been computed. */
  healthScore: z.number().min(0).max(100).optional(),
  lastCheckedAt: isoDate.optional(),
  connectedAt: isoDate,
  /** Name of the person. */
  connectedBy: z.string(),
})
export type Channel = z.output<typeof Channel>

export const ChannelList = z.object({ data: z.array(Channel) })
export type ChannelList = z.output<typeof ChannelList>

export const ConnectRequest = z.object({
  /** One of those that the operator allows. */
  redirectUrl: z.string().min(1).max(2_000),
})

export const ConnectReply = z.object({
  /** Where the person is sent. */
  authUrl: z.string(),
  /** Comes back with the person; the client compares. */
  state: z.string(),
})
export type ConnectReply = z.output<typeof ConnectReply>

/** What a provider sends a person back with; whatever else it adds is left alone. */
export const CallbackQuery = z.object({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4_096).optional(),
  /** Set where the person, or the provider, has refused. */
  error: z.string().min(1).max(2_000).optional(),
})
export type CallbackQuery = z.output<typeof CallbackQuery>
