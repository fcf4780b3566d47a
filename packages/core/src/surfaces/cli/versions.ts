import { delegate } from '../../gateway/delegate.ts'
import * as versionsOf from '../dm/versions.ts'
import { staff } from './access.ts'

export const list = delegate(versionsOf.list, {
  id: 'cli.versions.list',
  route: 'GET /activities/:id/versions',
  access: staff,
})

export const get = delegate(versionsOf.get, {
  id: 'cli.versions.get',
  route: 'GET /activities/:id/versions/:version',
  access: staff,
})

export const diff = delegate(versionsOf.diff, {
  id: 'cli.versions.diff',
  route: 'GET /activities/:id/diff',
  access: staff,
})
