import type { Platform } from './frame.ts'
import { createLinkedIn } from './linkedin.ts'
import { createBrevo, createMailchimp } from './mailings.ts'
import { createBluesky, createMastodon } from './microblogs.ts'
import { createFacebook, createInstagram } from './networks.ts'
import { createGoogleBusiness, createTikTok } from './places.ts'

/** Every platform that the tests of connectors drive. */
export const createPlatforms = (): Promise<Platform[]> =>
  Promise.all([
    createLinkedIn(),
    createFacebook(),
    createInstagram(),
    createTikTok(),
    createGoogleBusiness(),
    createMailchimp(),
    createBrevo(),
    createMastodon(),
    createBluesky(),
  ])
