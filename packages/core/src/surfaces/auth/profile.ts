import { changeProfile, me as ownProfile } from '../../domain/identity/profile.ts'
import { Profile, ProfileChanges } from '../../domain/identity/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { anybody } from './access.ts'

export const me = endpoint({
  id: 'auth.me',
  route: 'GET /me',
  summary: 'Your profile',
  access: anybody,
  reply: { 200: Profile },
  errors: ['NOT_FOUND'],
}).handle((ctx) => ownProfile(ctx))

export const changeMe = endpoint({
  id: 'auth.me.change',
  route: 'PATCH /me',
  summary: 'Change your profile',
  access: anybody,
  body: ProfileChanges,
  reply: { 200: Profile },
  errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
  audit: 'auth.profile.change',
}).handle((ctx, { body }) => changeProfile(ctx, body))
