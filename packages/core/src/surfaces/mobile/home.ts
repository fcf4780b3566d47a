import { getHome } from '../../domain/insight/home/home.ts'
import { Home } from '../../domain/insight/home/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { team } from './access.ts'

export const get = endpoint({
  id: 'mobile.home.get',
  route: 'GET /home',
  summary: 'The first screen in one call, at most a minute old',
  access: team,
  reply: { 200: Home },
}).handle((ctx) => getHome(ctx))
