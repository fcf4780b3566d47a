import type { Shell } from './shell.ts'

/**
 * The next approval for this user, other than those skipped or decided.
 * @returns undefined when there is none, or the request failed, which has been reported
 */
export async function nextToReview(shell: Shell, passed: ReadonlySet<string>): Promise<string | undefined> {
  const ofTenant = shell.tenantId === undefined ? {} : { tenantId: shell.tenantId }
  const isClient = shell.context.tenant !== undefined
  return shell.attempt(async () => {
    const { approval } = await shell.client.call('cli', 'GET /approvals/next', { query: ofTenant })
    if (!approval || !passed.has(approval.id)) return approval?.id
    const { data } = await shell.client.call('cli', 'GET /approvals', {
      query: { ...ofTenant, 'filter.status': 'pending', limit: 100 },
    })
    // Approvals claimed by others are skipped, and those forwarded to the client return by themselves.
    return data.find(
      ({ id, claimedBy, forwardedFrom, forwardedTo }) =>
        !passed.has(id) &&
        !claimedBy &&
        (isClient || forwardedFrom === undefined) &&
        forwardedTo === undefined,
    )?.id
  })
}
