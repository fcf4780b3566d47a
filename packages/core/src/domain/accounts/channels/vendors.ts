import type { OAuthServer } from '../../../platform/oauth/oauth.ts'
import type { ChannelType } from './entities.ts'

/** How the name of a connected account is learnt: a URL that answers in JSON, and the field, dotted, that holds it. */
export interface AccountSource {
  url: string
  field: string
  /** Of the `Authorization` header. */
  scheme?: 'OAuth'
}

/** What is known of a vendor; only the client itself is the operator's. */
export type OAuthVendor = Partial<OAuthServer> &
  Pick<OAuthServer, 'authorizeUrl' | 'tokenUrl' | 'scopes'> & { account?: AccountSource }

const google = (...scopes: string[]): OAuthVendor => ({
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  revokeUrl: 'https://oauth2.googleapis.com/revoke',
  scopes: ['openid', 'email', ...scopes.map((scope) => `https://www.googleapis.com/auth/${scope}`)],
  // Without them there is a refresh token at the first consent only.
  parameters: { access_type: 'offline', prompt: 'consent' },
  account: { url: 'https://openidconnect.googleapis.com/v1/userinfo', field: 'email' },
})

/** Meta has no RFC 7009: what is given back there is given back in the account's settings. */
const meta = (...scopes: string[]): OAuthVendor => ({
  authorizeUrl: 'https://www.facebook.com/dialog/oauth',
  tokenUrl: 'https://graph.facebook.com/oauth/access_token',
  scopes,
  pkce: false,
  // A consent brings a token of an hour or two; exchanged, it lasts sixty days.
  extension: { grantType: 'fb_exchange_token', tokenName: 'fb_exchange_token', lifeS: 60 * 86_400 },
  account: { url: 'https://graph.facebook.com/me?fields=name', field: 'name' },
})

/** The vendor behind each type of channel that is connected by consent through the operator's client. */
export const vendors: Readonly<Partial<Record<ChannelType, OAuthVendor>>> = {
  // LinkedIn answers `invalid_client` to a confidential client that sends a proof key.
  professional_network: {
    authorizeUrl: 'https://www.linkedin.com/oauth/v2/authorization',
    tokenUrl: 'https://www.linkedin.com/oauth/v2/accessToken',
    revokeUrl: 'https://www.linkedin.com/oauth/v2/revoke',
    scopes: ['openid', 'profile', 'w_member_social'],
    pkce: false,
    account: { url: 'https://api.linkedin.com/v2/userinfo', field: 'name' },
  },
  social_network_a: meta('pages_show_list', 'pages_read_engagement', 'pages_manage_posts', 'read_insights'),
  photo_network: meta(
    'pages_show_list',
    'pages_read_engagement',
    'instagram_basic',
    'instagram_content_publish',
    'instagram_manage_insights',
  ),
  // TikTok has its own name for the client id, and a proof key of its own making for apps only.
  short_video_network: {
    authorizeUrl: 'https://www.tiktok.com/v2/auth/authorize/',
    tokenUrl: 'https://open.tiktokapis.com/v2/oauth/token/',
    revokeUrl: 'https://open.tiktokapis.com/v2/oauth/revoke/',
    scopes: ['user.info.basic', 'video.publish', 'video.list'],
    scopeSeparator: ',',
    clientIdName: 'client_key',
    pkce: false,
    account: {
      url: 'https://open.tiktokapis.com/v2/user/info/?fields=display_name',
      field: 'data.user.display_name',
    },
  },
  // WordPress.com, and sites of one's own that are joined to it. Without a scope the token is for one site.
  cms_site: {
    authorizeUrl: 'https://public-api.wordpress.com/oauth2/authorize',
    tokenUrl: 'https://public-api.wordpress.com/oauth2/token',
    scopes: [],
    pkce: false,
    account: { url: 'https://public-api.wordpress.com/rest/v1.1/me', field: 'display_name' },
  },
  business_profile: google('business.manage'),
  search_ads: google('adwords'),
  social_ads: meta('ads_management', 'ads_read', 'business_management'),
  // Mailchimp's tokens do not end and cannot be given back by a request.
  email_platform_a: {
    authorizeUrl: 'https://login.mailchimp.com/oauth2/authorize',
    tokenUrl: 'https://login.mailchimp.com/oauth2/token',
    scopes: [],
    pkce: false,
    account: { url: 'https://login.mailchimp.com/oauth2/metadata', field: 'accountname', scheme: 'OAuth' },
  },
  email_platform_b: {
    authorizeUrl: 'https://oauth.brevo.com/realms/partner/oauth/authorize',
    tokenUrl: 'https://oauth.brevo.com/realms/partner/oauth/token',
    // Of its account and senders, its lists, its campaigns, and mails to single readers; writing includes no reading.
    scopes: [
      'account:read',
      'contacts:read',
      'campaigns.email:read',
      'campaigns.email:write',
      'transactional.email:write',
    ],
    account: { url: 'https://api.brevo.com/v3/account', field: 'companyName' },
  },
  web_analytics: google('analytics.readonly'),
  search_console: google('webmasters.readonly'),
}
