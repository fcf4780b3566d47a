import { delegate } from '../../gateway/delegate.ts'
import * as dashboard from '../dashboard/versions.ts'
import { reviewers } from './access.ts'

export const list = delegate(dashboard.list, {
  id: 'dm.versions.list',
  route: 'GET /activities/:activityId/versions',
  access: reviewers,
})

export const get = delegate(dashboard.get, {
  id: 'dm.versions.get',
  route: 'GET /activities/:activityId/versions/:version',
  access: reviewers,
})

export const diff = delegate(dashboard.diff, {
  id: 'dm.versions.diff',
  route: 'GET /activities/:activityId/diff',
  access: reviewers,
})
