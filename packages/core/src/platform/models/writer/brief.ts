/** What the built-in writer composes: the kinds of piece that a campaign delivers. */
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

/** Something that is sold, with what may be said about it. */
export interface BriefProduct {
  name: string
  /** Claims from the brief, as phrases or sentences. */
  facts: readonly string[]
}

/** What a brief says about the campaign, whoever wrote it down. Every part may be missing. */
export interface BriefFacts {
  company?: string
  /** One sentence or more about the company. */
  about?: string
  products?: readonly BriefProduct[]
  /** Who it is for, best as a noun phrase: "parents who have ten minutes for breakfast". */
  audience?: string
  voice?: string
  keyMessages?: readonly string[]
  /** Wording that must not appear. */
  bannedPhrases?: readonly string[]
  callToAction?: string
  /** What the campaign is to achieve: for plans and reports, never printed in copy. */
  goal?: string
}

/** Everything about one piece of work as data: the facts of its campaign and what is asked for now. */
export interface StructuredBrief extends BriefFacts {
  /** Name of the campaign. */
  campaign: string
  /** The brief as the customer wrote it; read for whatever the fields above leave out. */
  markdown?: string
  deliverable?: PieceKind
  /**
   * The step of the work. Known kinds: `plan`, `research`, `outline`, `draft`, `edit`, `report`; another kind is
   * judged by its title, and is a draft when that says nothing.
   */
  step: { kind: string; title: string }
  /** Subject of this one piece, when somebody asked for it. */
  topic?: string
  keyword?: string
  platforms?: readonly string[]
  /** Which piece of its period this is, from 0: each takes another angle of the brief. */
  variant?: number
  /** Notes of reviewers on earlier versions, the latest first. */
  feedback?: readonly string[]
  /** The text so far: of an earlier version, or of the step before. */
  priorText?: string
}
