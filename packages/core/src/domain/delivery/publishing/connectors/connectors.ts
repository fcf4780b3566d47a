import type { Connector, Connectors } from '../connector.ts'
import { bluesky } from './bluesky/connector.ts'
import { brevo } from './brevo/connector.ts'
import { googleBusiness } from './google-business/connector.ts'
import { linkedin } from './linkedin/connector.ts'
import { mailchimp } from './mailchimp/connector.ts'
import { mastodon } from './mastodon/connector.ts'
import { facebook } from './meta/facebook.ts'
import { instagram } from './meta/instagram.ts'
import { tiktok } from './tiktok/connector.ts'
import { wordpress } from './wordpress/connector.ts'

/** Every connector; docs/connectors.md says how another one is written. */
const all: readonly Connector[] = [
  linkedin,
  facebook,
  instagram,
  tiktok,
  wordpress,
  googleBusiness,
  mailchimp,
  brevo,
  mastodon,
  bluesky,
]

export const connectors: Connectors = new Map(all.map((one) => [one.type, one]))
