import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { actOn, approvedOutput } from '../people.ts'
import type { PublicationItem } from '../schemas.ts'
import { changeFault, noChange, planChange } from './plan.ts'

/**
 * Plans that the newest text of a piece takes the place of the one that is out, in the same post. Serves
 * `POST /dashboard/v1/publications/:publicationId/update`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is not out, or the newest text is out already; `UNPROCESSABLE` when the platform
 *   cannot change posts, or no verdict covers the newest text
 */
export function updatePublication(ctx: Ctx, id: string): Promise<PublicationItem> {
  return actOn(ctx, id, async (txn, publication) => {
    const { status, activityId, contentHash, changeStatus } = publication
    if (status !== 'published')
      throw new DomainError('CONFLICT', `This publication is ${status}: there is no post to change`)
    const fault = changeFault(txn, publication)
    if (fault !== undefined) throw new DomainError('UNPROCESSABLE', fault)
    const output = await approvedOutput(txn, activityId)
    // While a change waits, or has failed, another text than the one that was last seen there may be out.
    if (changeStatus === null && contentHash === output.sha256)
      throw new DomainError('CONFLICT', 'The newest text is out already')
    planChange(txn, publication, output)
  })
}

/**
 * Drops a newer text that waits; the post stays as it is. Serves `DELETE /dashboard/v1/publications/:publicationId/change`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when none waits, or it is being sent
 */
export function dropChange(ctx: Ctx, id: string): Promise<PublicationItem> {
  return actOn(ctx, id, async (_, publication) => {
    if (publication.changeStatus === null) throw new DomainError('CONFLICT', 'No newer text waits')
    if (publication.changeStatus === 'sending')
      throw new DomainError('CONFLICT', 'The newer text is being sent: wait for it')
    Object.assign(publication, noChange)
  })
}
