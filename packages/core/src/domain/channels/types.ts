/** Every type of channel, with the name that people read. */
export const channelNames = {
  professional_network: 'Professional network',
  social_network_a: 'Social network',
  photo_network: 'Photo network',
  short_video_network: 'Short-video network',
  cms_site: 'Website',
  business_profile: 'Business profile',
  search_ads: 'Search ads',
  social_ads: 'Social ads',
  email_platform_a: 'E-mail platform A',
  email_platform_b: 'E-mail platform B',
  web_analytics: 'Web analytics',
  search_console: 'Search console',
} as const

export type ChannelType = keyof typeof channelNames
export const channelTypes = Object.keys(channelNames) as [ChannelType, ...ChannelType[]]

export const channelStatuses = ['connected', 'expired', 'error', 'disconnected'] as const
export type ChannelStatus = (typeof channelStatuses)[number]
