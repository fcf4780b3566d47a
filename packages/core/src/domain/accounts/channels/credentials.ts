import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { type ChannelType, channelNames } from './entities.ts'
import { keepConnection } from './keep.ts'
import { callBefore, orUnprocessable } from './own-server.ts'
import type { CredentialFields } from './ports.ts'
import { listIntegrations } from './queries.ts'
import type { CredentialsInput, Integration } from './schemas.ts'

/**
 * Connects a channel by what a person has pasted, once the platform has said whose it is. Serves
 * `PUT /dashboard/v1/integrations/:platform/credentials`.
 * @throws DomainError `UNPROCESSABLE` for a type that takes none, and when the platform refuses them; `VALIDATION_ERROR` on a
 *   field that is missing, or is none of this type's
 */
export async function putCredentials(
  ctx: Ctx,
  platform: ChannelType,
  input: CredentialsInput,
): Promise<Integration> {
  const auth = ctx.services.channelAuth(platform)
  if (!auth)
    throw new DomainError('UNPROCESSABLE', `${channelNames[platform]} cannot be connected by a secret`)
  requireFields(auth.fields, input)
  const { server, username, secret } = input
  const secrets = { secret, ...(username !== undefined && { username }) }
  const call = callBefore(ctx, platform, auth, { secrets, server })
  const verified = await orUnprocessable(() => auth.verify(call))
  await transact(ctx, async (txn) => {
    await keepConnection(
      txn,
      { tenantId: oneTenant(txn), type: platform },
      { auth: 'credentials', secrets, ...verified },
    )
  })
  const { data } = await listIntegrations(ctx)
  return data.find(({ type }) => type === platform) as Integration
}

function requireFields(fields: CredentialFields, input: CredentialsInput): void {
  for (const name of ['server', 'username'] as const) {
    if (fields[name] === undefined && input[name] !== undefined) throw invalid(name, 'Is not asked for here')
    if (fields[name] === 'required' && input[name] === undefined) throw invalid(name, 'Is required')
  }
}
