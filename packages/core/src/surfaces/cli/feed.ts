import { delegate } from '../../gateway/delegate.ts'
import * as events from '../dm/events.ts'
import * as dm from '../dm/feed.ts'
import { staff } from './access.ts'

export const list = delegate(dm.list, { id: 'cli.feed.list', route: 'GET /feed', access: staff })

export const dismiss = delegate(dm.dismiss, {
  id: 'cli.feed.dismiss',
  route: 'POST /feed/:id/dismiss',
  access: staff,
})

export const snooze = delegate(dm.snooze, {
  id: 'cli.feed.snooze',
  route: 'POST /feed/:id/snooze',
  access: staff,
})

export const stream = delegate(events.stream, {
  id: 'cli.events.stream',
  route: 'GET /events/stream',
  access: staff,
})
