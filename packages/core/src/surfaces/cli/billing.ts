import { delegate } from '../../gateway/delegate.ts'
import * as admin from '../admin/billing.ts'
import { operators } from './access.ts'

export const events = delegate(admin.events, {
  id: 'cli.billing.events',
  route: 'GET /billing/events',
  access: operators,
})
