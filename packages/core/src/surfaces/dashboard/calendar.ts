import { readCalendar } from '../../domain/delivery/publishing/calendar/calendar.ts'
import { CalendarQuery, PublishingCalendar } from '../../domain/delivery/publishing/calendar/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const read = endpoint({
  id: 'dashboard.calendar.read',
  route: 'GET /calendar',
  summary: 'What goes out when, and what is out',
  description: 'At most 93 days and 500 entries; `nextFrom` says where to go on.',
  access: team,
  query: CalendarQuery,
  reply: { 200: PublishingCalendar },
}).handle((ctx, { query }) => readCalendar(ctx, query))
