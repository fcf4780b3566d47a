import type { AdPlatform, AdPlatforms } from '../platform.ts'
import { googleAds } from './google/platform.ts'
import { linkedinAds } from './linkedin/platform.ts'
import { metaAds } from './meta/platform.ts'

/** Every advertising platform that is served. */
const all: readonly AdPlatform[] = [googleAds, metaAds, linkedinAds]

export const adPlatforms: AdPlatforms = new Map(all.map((one) => [one.name, one]))
