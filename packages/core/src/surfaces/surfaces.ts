import { admin } from './admin/index.ts'
import { agent } from './agent/index.ts'
import { auth } from './auth/index.ts'
import { cli } from './cli/index.ts'
import { dashboard } from './dashboard/index.ts'
import { dm } from './dm/index.ts'
import { forms } from './forms/index.ts'
import { media } from './media/index.ts'
import { mobile } from './mobile/index.ts'
import { pg } from './pg/index.ts'
import { root } from './root/index.ts'
import { tenant } from './tenant/index.ts'

/**
 * All surfaces of the service. Routes, OpenAPI, the typed client and the generated tests are derived from
 * this list.
 */
export const surfaces = [
  auth,
  dashboard,
  dm,
  mobile,
  admin,
  agent,
  tenant,
  media,
  cli,
  pg,
  forms,
  root,
] as const
