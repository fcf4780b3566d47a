import { sha256Hex } from '../../platform/crypto/hash.ts'
import type { Ctx } from '../context.ts'
import { type MailPayload, post } from '../mail/post.ts'
import { isShut } from '../tenants/entities.ts'
import { accountById } from './account-queries.ts'
import { invitationByToken } from './invitation-queries.ts'
import { invitationLetter } from './letters.ts'

/** What the token of an invitation is sealed for while its mail waits to be sent. */
export const sealedFor = (invitationId: string) => `invitation:${invitationId}`

/** Where somebody who is invited chooses a password. */
export const invitationUrl = ({ services }: Ctx, token: string) =>
  `${services.settings.links}/accept-invitation?token=${token}`

/** Mails the link, unless it is worthless by now. The job `mail.invitation`. */
export async function mailInvitation(
  ctx: Ctx,
  payload: MailPayload & { invitationId: string; token: string },
  signal: AbortSignal,
): Promise<void> {
  const { box } = ctx.services
  const token = box.open(payload.token, sealedFor(payload.invitationId))
  const found = await invitationByToken(ctx.sql, sha256Hex(token))
  if (!found || isShut(found.tenantStatus) || found.expiresAt.getTime() <= ctx.clock.now()) return
  const { email, tenantName, expiresAt, invitedBy } = found
  const inviter = (await accountById(ctx.sql, invitedBy))?.name
  const url = invitationUrl(ctx, token)
  const written = invitationLetter({ inviter, tenantName, expiresAt, url })
  await post(ctx, payload, { to: email, ...written }, signal)
}
