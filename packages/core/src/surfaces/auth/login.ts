import { z } from 'zod'
import { login as logIn, logout as logOut, refresh as renew } from '../../domain/accounts/identity/login.ts'
import { Login, LoginReply, Refresh, RefreshReply } from '../../domain/accounts/identity/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { countedAs } from '../../gateway/client-ip.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { anybody } from './access.ts'

export const login = endpoint({
  id: 'auth.login',
  route: 'POST /login',
  summary: 'Open a session with e-mail and password',
  access: publicAccess,
  takesCredential: true,
  body: Login,
  reply: { 200: LoginReply },
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'THROTTLED'],
  audit: 'auth.login',
  limit: { requests: 10, perSeconds: 900, by: 'ip', field: 'email' },
}).handle((ctx, { body, ip }) => logIn(ctx, body, countedAs(ip)))

export const refresh = endpoint({
  id: 'auth.refresh',
  route: 'POST /refresh',
  summary: 'A new access token for a refresh token',
  access: publicAccess,
  takesCredential: true,
  body: Refresh,
  reply: { 200: RefreshReply },
  errors: ['UNAUTHORIZED'],
}).handle((ctx, { body }) => renew(ctx, body.refreshToken))

export const logout = endpoint({
  id: 'auth.logout',
  route: 'POST /logout',
  summary: 'End this session',
  access: anybody,
  reply: { 204: z.void() },
  audit: 'auth.logout',
}).handle((ctx) => logOut(ctx))
