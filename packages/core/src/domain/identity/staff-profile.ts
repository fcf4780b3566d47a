import { assistantRight } from '../assistant.ts'
import type { Ctx } from '../context.ts'
import { me } from './profile.ts'
import type { StaffProfile } from './schemas.ts'

/**
 * Whom a credential of staff stands for, and what an assistant may do with it. Serves `GET /cli/v1/me`.
 * @throws DomainError `NOT_FOUND`
 */
export async function staffProfile(ctx: Ctx): Promise<StaffProfile> {
  const { actor } = ctx
  return {
    ...(await me(ctx)),
    credential: actor.type === 'api_key' ? 'api_key' : 'token',
    assistantAccess: assistantRight(actor),
  }
}
