import type { Shell } from './shell.ts'

/**
 * What this person should look at after those that they have passed over or decided.
 * @returns undefined when nothing else waits, or it could not be asked, which has been said
 */
export async function nextToReview(shell: Shell, passed: ReadonlySet<string>): Promise<string | undefined> {
  const ofTenant = shell.tenantId === undefined ? {} : { tenantId: shell.tenantId }
  const isClient = shell.desk.tenant !== undefined
  return shell.attempt(async () => {
    const { approval } = await shell.client.call('cli', 'GET /approvals/next', { query: ofTenant })
    if (!approval || !passed.has(approval.id)) return approval?.id
    const { data } = await shell.client.call('cli', 'GET /approvals', {
      query: { ...ofTenant, 'filter.status': 'pending', limit: 100 },
    })
    // What others look at is theirs, and what the client was asked comes back by itself.
    return data.find(
      ({ id, claimedBy, forwardedFrom, forwardedTo }) =>
        !passed.has(id) &&
        !claimedBy &&
        (isClient || forwardedFrom === undefined) &&
        forwardedTo === undefined,
    )?.id
  })
}
