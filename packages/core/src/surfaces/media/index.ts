import { endpointsOf, surface } from '../../gateway/surface.ts'
import { team } from './access.ts'
import * as assets from './assets.ts'
import * as images from './images.ts'

/** Images, videos and PDFs of a tenant. The tenant is the token's. */
export const media = surface({
  name: 'media',
  prefix: '/media/v1',
  access: team,
  tenant: 'claim',
  limits: { perMinute: 120, burst: 24, by: 'user' },
  concurrency: 10,
  endpoints: endpointsOf(assets, images),
})
