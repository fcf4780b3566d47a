import type { ChannelAccount, ChannelType } from '../../accounts/channels/entities.ts'
import type { PlatformCall, PlatformRules } from '../../accounts/channels/platform-call.ts'
import type { ChannelAuth } from '../../accounts/channels/ports.ts'
import type { DayOfAccount } from './account-days/figures.ts'
import type { PostFigures } from './metrics/figures.ts'
import type { MediaFile } from './picture.ts'
import type { OutgoingPiece, PieceKind } from './piece.ts'
import type { PostPicture } from './post-text.ts'
import type { SingleMails } from './single-mail.ts'
import type { AskedDays } from './website/source.ts'

/** How often something may be done for one account. */
export interface Limit {
  /** As `limitsOf` of the connector names it too. */
  name: string
  max: number
  /** Seconds until it is whole again, counted from the first use. */
  perS: number
}

/** What a channel can take, so that what it cannot take is refused before it is asked. */
export interface Capabilities {
  /** `article`: title and HTML; `post`: plain text with pictures. */
  takes: PieceKind
  /** An article goes out as a mail: its lines “Subject: …” and “Preview: …” are no part of its text. */
  asMail?: true
  /** Each measure of a text that the platform has, counted as the platform counts; none where there is no limit. */
  text: readonly TextLimit[]
  /** Pictures of a post, and of an article those that are assets. */
  media: MediaLimits
  /** A post that is out can be taken back. */
  remove: boolean
  /** One post spends one of each before it is sent. What the platform says in its answers counts too. */
  limits: readonly Limit[]
}

export interface MediaLimits {
  min: number
  max: number
  /** Of a post that is out, the text can be changed and its pictures cannot. */
  fixed?: true
  /** Of those that are sent as files; left out where none are. */
  files?: FileLimits
  /** Of those that are fetched from an address; left out where none are. What is elsewhere on the web is not looked at before. */
  fetched?: FileLimits & {
    /** `server`: the platform fetches from this server only, and not from a bucket. */
    from?: 'server'
  }
}

export interface FileLimits {
  types: readonly string[]
  /** Of one file. */
  maxBytes: number
}

export interface TextLimit {
  max: number
  /** In words: `characters`. */
  unit: string
  count(text: string): number
}

/** What is known of a post after each step, kept with the intent. */
export type Progress = Readonly<Record<string, string>>

/** A call that is about one intent. */
export interface PublishCall extends PlatformCall {
  /** What the last `save` has kept, of this attempt or an earlier one. */
  readonly progress: Progress
  /**
   * Keeps what was learnt from an answer, before the next request. It also says that the last request with `once` was answered: from
   * then on another attempt begins with this progress.
   * @throws when another attempt has taken the intent over
   */
  save(progress: Progress): Promise<void>
  /**
   * The bytes of what a piece shows, for platforms that take files.
   * @throws PlatformError `validation` for what `capabilities.media.files` does not allow; `transient`
   */
  fetch(picture: PostPicture): Promise<MediaFile>
  /**
   * Where the platform finds what a piece shows, for platforms that fetch it.
   * @param lasts `hour`: it is fetched at once; `always`: readers fetch it, as from a mail
   * @throws PlatformError `validation` for what `capabilities.media.fetched` does not allow; `policy` where it cannot be reached
   */
  address(picture: PostPicture, lasts?: 'hour' | 'always'): Promise<string>
}

/** A post that is out. */
export interface Published {
  externalId: string
  /** Where people read it; null where the platform does not say. */
  url: string | null
}

/** A post that is out, and whose text is to be another. */
export interface PostOut extends Published {
  /** It shows the pictures of the new text already. */
  samePictures: boolean
}

/** The platform is still working on it: the next attempt begins with the progress that was saved. */
export interface StillWorking {
  againInS: number
}

/** What the platform says about a post of which the answer was lost. */
export type Reconciled =
  | ({ state: 'published' } & Published)
  /** It is not there, and sending it again cannot make a second one. */
  | { state: 'absent' }
  /** Not to be seen yet, which proves nothing: it is asked again a few times, then a person is. */
  | { state: 'unclear' }
  /** The platform cannot be asked: a person is. */
  | { state: 'cannot_tell' }

/** Everything that is particular to one platform. */
export interface Connector {
  type: ChannelType
  rules: PlatformRules
  capabilities: Capabilities
  /** Limits of the text that the account's own server has set, in the place of those of `capabilities`. */
  textFor?(account: ChannelAccount): readonly TextLimit[]
  /** How accounts are connected without OAuth; left out where they are not. */
  auth?: ChannelAuth
  /** The pages or sites that a consent opens; where there are several, a person chooses one. Left out where there is one. */
  accounts?(call: PlatformCall): Promise<readonly PlatformAccount[]>
  /** Entries of the progress that name the post itself: they are kept when the intent takes a newer text. */
  lasting?: readonly string[]
  /** Whether the progress says that a post is out: then the intent ends with the text of that post, before it takes a newer one. */
  isOut?(progress: Progress): boolean
  /** Left out where mails go to whole lists only, or to nobody. */
  mails?: SingleMails
  /** @throws PlatformError */
  publish(call: PublishCall, piece: OutgoingPiece): Promise<Published | StillWorking>
  /** Asks what has become of a post; it sends nothing that changes anything. @throws PlatformError */
  reconcile(call: PublishCall, piece: OutgoingPiece): Promise<Reconciled>
  /**
   * Puts a newer text into the place of the one that is out, under the same id. Its requests can be repeated. A post that is gone, or that
   * a person has hidden there, is not made public again. Left out where the platform cannot change posts.
   * @throws PlatformError
   */
  edit?(call: PublishCall, piece: OutgoingPiece, post: PostOut): Promise<Published | StillWorking>
  /** Takes a post back; one that is gone already is taken back. @throws PlatformError */
  remove?(call: PlatformCall, published: Published): Promise<void>
  /**
   * What became of a post: its totals so far. Left out where the platform counts nothing of single posts; it only reads.
   * @returns null for a post that is gone, or of which nothing is to be read
   * @throws PlatformError
   */
  metrics?(call: PlatformCall, published: Published): Promise<PostFigures | null>
  /**
   * What became of the account as a whole on each of some days, as the platform counts days. Left out where it tells nothing of accounts; it
   * only reads.
   * @returns days of which nothing is known yet are left out
   * @throws PlatformError
   */
  accountDays?(call: PlatformCall, span: AskedDays): Promise<readonly DayOfAccount[]>
}

/** What a channel takes at an account: the limits that its own server has set, or the usual ones. @param account null, undefined: not connected */
export function limitsAt(
  { capabilities, textFor }: Connector,
  account: ChannelAccount | null | undefined,
): Capabilities {
  const own = account && textFor?.(account)
  return own ? { ...capabilities, text: own } : capabilities
}

export interface PlatformAccount {
  name: string
  account: ChannelAccount
}

/** The connectors of an instance. */
export type Connectors = ReadonlyMap<ChannelType, Connector>

declare module '../../../kernel/services.ts' {
  interface Services {
    connectors: Connectors
  }
}
