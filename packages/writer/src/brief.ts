/** What the built-in writer composes: the deliverable types of a campaign. */
export const pieceKinds = [
  'blog_post',
  'social_post',
  'gbp_post',
  'ad_copy',
  'email_newsletter',
  'backlink',
  'website_audit',
  'performance_report',
] as const
export type PieceKind = (typeof pieceKinds)[number]

/** A product or service, with the claims that are allowed. */
export interface BriefProduct {
  name: string
  /** Claims from the brief, as phrases or sentences. */
  facts: readonly string[]
}

/** The content of a brief about the campaign. Every part may be missing. */
export interface BriefFacts {
  company?: string
  /** One sentence or more about the company. */
  about?: string
  products?: readonly BriefProduct[]
  /** The audience, preferably as a noun phrase: "parents who have ten minutes for breakfast". */
  audience?: string
  voice?: string
  keyMessages?: readonly string[]
  /** Wording that must not appear. */
  bannedPhrases?: readonly string[]
  callToAction?: string
  /** The goal of the campaign: for plans and reports, never printed in copy. */
  goal?: string
}

/** A text of the client's documents. */
export interface Passage {
  n: number
  title: string
  text: string
}

/** Mails that ask customers for a review. */
export interface ReviewRequests {
  platform: string
  url: string
  tone: 'friendly' | 'professional' | 'casual'
  /** How many, 1 or more. */
  mails: number
  /** By what they go out; text messages are short. */
  channel: 'email' | 'sms'
}

/** One activity as data: the facts of its campaign and the current task. */
export interface StructuredBrief extends BriefFacts {
  /** Name of the campaign. */
  campaign: string
  /** The brief as the customer wrote it; used for everything that the fields above omit. */
  markdown?: string
  deliverable?: PieceKind
  /** Instead of a deliverable: the brief of the campaign, the groups of people that it is for, or mails that ask for reviews. */
  preparation?: 'campaign_brief' | 'audience' | 'review_requests'
  /** How customers are asked for reviews. For review requests only. */
  reviews?: ReviewRequests
  /**
   * The kind of step. Known kinds: `plan`, `research`, `outline`, `draft`, `edit`, `report`; another kind is
   * derived from its title, and defaults to draft.
   */
  step: { kind: string; title: string }
  /** What is settled about the campaign, one statement each. For its brief only. */
  terms?: readonly string[]
  /** The groups that the brand knows. For the audience only. */
  audiences?: readonly { name: string; description: string }[]
  /** Subject of this text, when requested. */
  topic?: string
  keyword?: string
  platforms?: readonly string[]
  /** Index of this text within its period, from 0: each takes another angle of the brief. */
  variant?: number
  /** Notes of reviewers on earlier versions, the latest first. */
  feedback?: readonly string[]
  /** What the client's documents say about the subject, with the numbers of the sources. For research notes only. */
  passages?: readonly Passage[]
  /** The current text: of an earlier version, or of the previous step. */
  priorText?: string
}
