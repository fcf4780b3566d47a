import { z } from 'zod'
import { isoDate, ulid } from '../../../platform/wire.ts'
import { channelStatuses, channelTypes } from './entities.ts'

/** The address of a server, without anything that a path of its API does not begin with. */
const serverUrl = z
  .url({ protocol: /^https?$/, error: 'Must be an address such as https://www.example.com' })
  .max(500)
  .refine((url) => !/[?#@]/.test(url), 'Must have neither a query, a fragment nor a user name')

/** A type of channel in a path. */
export const ChannelTypeParam = z.enum(channelTypes)

export const Channel = z.object({
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
  /** The address of the person's own server, for platforms that everybody can run. Default: the provider that is set up. */
  server: serverUrl.optional(),
})
export type ConnectRequest = z.output<typeof ConnectRequest>

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
  /** From a server of the person's own, in the place of a code. */
  site_url: z.string().min(1).max(2_000).optional(),
  user_login: z.string().min(1).max(500).optional(),
  password: z.string().min(1).max(500).optional(),
  /** Set where the person, or the provider, has refused. */
  error: z.string().min(1).max(2_000).optional(),
})
export type CallbackQuery = z.output<typeof CallbackQuery>

/** What a person can paste to connect a channel of some type. */
const CredentialForm = z.object({
  /** Absent where it is not asked for. */
  server: z.enum(['required', 'optional']).optional(),
  username: z.enum(['required', 'optional']).optional(),
  /** What the platform calls the secret. */
  secretName: z.string(),
})

export const Integration = z.object({
  type: z.enum(channelTypes),
  name: z.string(),
  /** Whether accounts of this type can be connected here. */
  configured: z.boolean(),
  connected: z.boolean(),
  accountName: z.string().optional(),
  /** Whether a person can be sent to the provider. */
  consent: z.boolean(),
  /** What can be pasted in the place of a consent; absent where nothing can. */
  credentials: CredentialForm.optional(),
})
export type Integration = z.output<typeof Integration>

export const IntegrationList = z.object({ data: z.array(Integration) })
export type IntegrationList = z.output<typeof IntegrationList>

export const CredentialsInput = z.object({
  server: serverUrl.optional(),
  username: z.string().trim().min(1).max(320).optional(),
  /** An application password, a key or a token. */
  secret: z.string().trim().min(1).max(4_000),
})
export type CredentialsInput = z.output<typeof CredentialsInput>
