import { changeProfile, me as ownProfile } from '../../domain/accounts/identity/profile.ts'
import { ProfileChanges, UserProfile } from '../../domain/accounts/identity/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { anybody } from './access.ts'

export const me = endpoint({
  id: 'auth.me',
  route: 'GET /me',
  summary: 'Your profile',
  access: anybody,
  reply: { 200: UserProfile },
  errors: ['NOT_FOUND'],
}).handle((ctx) => ownProfile(ctx))

export const change = endpoint({
  id: 'auth.me.change',
  route: 'PATCH /me',
  summary: 'Change your profile',
  access: anybody,
  body: ProfileChanges,
  reply: { 200: UserProfile },
  errors: ['NOT_FOUND'],
  audit: 'auth.profile.change',
}).handle((ctx, { body }) => changeProfile(ctx, body))
