import { delegate } from '../../gateway/delegate.ts'
import * as dashboard from '../dashboard/chat.ts'
import { team } from './access.ts'

export const message = delegate(dashboard.message, {
  id: 'tenant.chat.message',
  route: 'POST /chat/message',
  access: team,
})

export const list = delegate(dashboard.list, {
  id: 'tenant.chat.list',
  route: 'GET /chat/conversations',
  access: team,
})

export const get = delegate(dashboard.get, {
  id: 'tenant.chat.get',
  route: 'GET /chat/conversations/:conversationId',
  access: team,
})

export const remove = delegate(dashboard.remove, {
  id: 'tenant.chat.delete',
  route: 'DELETE /chat/conversations/:conversationId',
  access: team,
})
