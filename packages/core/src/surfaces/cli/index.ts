import { endpointsOf, surface } from '../../gateway/surface.ts'
import { staff } from './access.ts'
import * as activities from './activities.ts'
import * as agents from './agents.ts'
import * as approvals from './approvals.ts'
import * as billing from './billing.ts'
import * as consents from './consents.ts'
import * as feed from './feed.ts'
import * as invoices from './invoices.ts'
import * as kb from './kb.ts'
import * as language from './language.ts'
import * as tenants from './tenants.ts'
import * as versions from './versions.ts'

/** The terminal and the scripts of staff, over all assigned tenants or the named one. */
export const cli = surface({
  name: 'cli',
  prefix: '/cli/v1',
  access: staff,
  tenant: 'query-or-header',
  limits: { perMinute: 1_200, burst: 240, by: 'user' },
  concurrency: 15,
  endpoints: endpointsOf(
    activities,
    agents,
    approvals,
    billing,
    consents,
    feed,
    invoices,
    kb,
    language,
    tenants,
    versions,
  ),
})
