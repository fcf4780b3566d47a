import { DomainError } from '../errors.ts'

/** A place where pieces are published. */
export interface Platform {
  id: string
  name: string
  type: string
}

const names = {
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

/** The platforms that a deliverable names, in its order. An id is a channel type. */
export function platformsOf(ids: readonly string[]): Platform[] {
  return ids.map((id) => ({ id, name: (names as Record<string, string>)[id] ?? id, type: id }))
}

/** @throws DomainError `NOT_FOUND` naming the field, when an id is no platform */
export function requirePlatforms(ids: readonly string[], field: string): void {
  for (const [index, id] of ids.entries()) {
    if (Object.hasOwn(names, id)) continue
    const known = Object.keys(names).join(', ')
    throw new DomainError('NOT_FOUND', `There is no platform "${id}"; known are ${known}`, {
      field: `${field}.${index}`,
    })
  }
}
