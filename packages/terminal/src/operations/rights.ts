import type { Desk, Named } from './operation.ts'

/** Whether whoever sits at a desk may run an operation. */
export function mayRun({ audience = 'staff' }: Pick<Desk, 'audience'>, { audience: those }: Named): boolean {
  return (those ?? ['staff']).includes(audience)
}

/** Why somebody may not run an operation, in one sentence; undefined where they may. */
export function refusal(desk: Pick<Desk, 'audience' | 'tenant'>, operation: Named): string | undefined {
  if (mayRun(desk, operation)) return undefined
  const { audience = 'staff', tenant } = desk
  const { name } = operation
  const those = operation.audience ?? ['staff']
  if (audience === 'staff')
    return `\`${name}\` is for ${those.includes('member') ? 'the people' : 'an admin'} of a tenant with a login of their own (\`copydesk login\`), and for operators on the machine of the server (with --data-dir, if the installation is not in this folder).`
  const where = tenant?.name ?? 'your tenant'
  return those.includes('admin')
    ? `\`${name}\` is for admins of ${where}; you are a member there.`
    : `\`${name}\` is for reviewers and super-admins; you are ${audience === 'admin' ? 'an admin' : 'a member'} of ${where}.`
}
