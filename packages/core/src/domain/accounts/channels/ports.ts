import type { ChannelAccount, ChannelType } from './entities.ts'
import type { PlatformCall, PlatformRules } from './platform-call.ts'
import type { ChannelSecrets } from './provider.ts'

/** Which of three things a person pastes to connect an account; what is not named here is not taken. */
export interface CredentialFields {
  /** The address of the person's own server. */
  server?: 'required' | 'optional'
  username?: 'required' | 'optional'
  /** What the platform calls the secret, such as `Application password`. */
  secret: string
}

/** What a platform knows about an account that is being connected. */
export interface VerifiedAccount {
  accountName: string | null
  /** Null where the credentials open several. */
  account: ChannelAccount | null
  /** What opens the account from now on, where that is more than what was pasted: the tokens of a session. */
  secrets?: ChannelSecrets
}

/** What comes back with a person; each consent takes what it knows. */
export interface ServerConsentAnswer {
  code?: string | undefined
  siteUrl?: string | undefined
  userLogin?: string | undefined
  password?: string | undefined
}

/** Consent on a server of the person's own, which needs no client that the operator has registered. */
export interface OwnServerConsent {
  /**
   * @param to `callback` brings the person back to us, with the state in it; `refused` where they say no
   * @returns where the person is sent, and what has to be remembered until then, which is kept encrypted
   * @throws PlatformError when the server cannot do it
   */
  begin(
    call: PlatformCall,
    to: { server: string; callback: string; refused: string; state: string },
  ): Promise<{ url: string; memory: Record<string, string> }>
  /** @returns undefined when what came back is no consent */
  finish(
    call: PlatformCall,
    from: { memory: Record<string, string>; answer: ServerConsentAnswer },
  ): Promise<ChannelSecrets | undefined>
}

/** What a connector knows about connecting an account without OAuth. Composition gives it, from `domain/delivery/publishing`. */
export interface ChannelAuth {
  rules: PlatformRules
  fields: CredentialFields
  /** What is pasted opens several accounts, of which one is taken: `accounts` of the connector lists them. */
  opensSeveral?: boolean
  /** Asks the platform whose these credentials are. The account names the server only. @throws PlatformError when it refuses them */
  verify(call: PlatformCall): Promise<VerifiedAccount>
  /**
   * Opens a new session in the place of one that has ended, for accounts whose secrets contain a refresh token.
   * @returns all secrets from now on
   * @throws PlatformError `auth` when that needs a person
   */
  renew?(call: PlatformCall): Promise<ChannelSecrets>
  /** Gives the credentials back when the channel is disconnected. @throws PlatformError */
  revoke?(call: PlatformCall): Promise<void>
  consent?: OwnServerConsent
}

declare module '../../../kernel/services.ts' {
  interface Services {
    /** Undefined for a type that is connected by OAuth only, or not at all. */
    channelAuth: (type: ChannelType) => ChannelAuth | undefined
    /** Whether figures are read from a channel of this type as soon as it is connected. */
    isReadAtOnce: (type: ChannelType) => boolean
  }
}
