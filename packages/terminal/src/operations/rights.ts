import type { OperationBase, OperationContext } from './operation.ts'

/** Whether the user of a context may run an operation. */
export function mayRun(
  { audience = 'staff' }: Pick<OperationContext, 'audience'>,
  { audience: those }: OperationBase,
): boolean {
  return (those ?? ['staff']).includes(audience)
}

/** Why a user may not run an operation, in one sentence; undefined when permitted. */
export function refusal(
  context: Pick<OperationContext, 'audience' | 'tenant'>,
  operation: OperationBase,
): string | undefined {
  if (mayRun(context, operation)) return undefined
  const { audience = 'staff', tenant } = context
  const { name } = operation
  const those = operation.audience ?? ['staff']
  if (audience === 'staff')
    return `\`${name}\` is for ${those.includes('member') ? 'the users' : 'an admin'} of a tenant with a login (\`copydesk login\`), and for operators on the machine of the server (with --data-dir, if the installation is not in this folder).`
  const where = tenant?.name ?? 'your tenant'
  return those.includes('admin')
    ? `\`${name}\` is for admins of ${where}; you are a member there.`
    : `\`${name}\` is for reviewers and super-admins; you are ${audience === 'admin' ? 'an admin' : 'a member'} of ${where}.`
}
