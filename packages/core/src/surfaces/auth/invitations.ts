import { acceptInvitation, viewInvitation } from '../../domain/accounts/identity/invitation-accept.ts'
import { AcceptInvitation, InvitationView, LoginReply } from '../../domain/accounts/identity/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { endpoint } from '../../gateway/endpoint.ts'

export const get = endpoint({
  id: 'auth.invitations.get',
  route: 'GET /invitations/:token',
  summary: 'Who is invited to which tenant',
  access: publicAccess,
  secretPath: true,
  reply: { 200: InvitationView },
  errors: ['FORBIDDEN'],
}).handle((ctx, { params }) => viewInvitation(ctx, params.token))

export const accept = endpoint({
  id: 'auth.invitations.accept',
  route: 'POST /invitations/:token/accept',
  summary: 'Accept an invitation by choosing a password; opens a session',
  access: publicAccess,
  takesCredential: true,
  secretPath: true,
  body: AcceptInvitation,
  reply: { 200: LoginReply },
  errors: ['FORBIDDEN', 'CONFLICT', 'THROTTLED'],
  audit: 'invitation.accept',
}).handle((ctx, { params, body }) => acceptInvitation(ctx, params.token, body.password))
