import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { isShut } from '../../../accounts/tenants/shut.ts'
import { Output } from '../../../work/content/entities.ts'
import { obstacleOf } from '../claim.ts'
import { spendLimits } from '../limits.ts'
import { lockConnection, lockPublication, lookAtChange } from '../lock.ts'
import type { PublishingTurn } from '../perform.ts'
import { leaseMs, shutMs } from '../policy.ts'
import { changeFault } from './plan.ts'
import { failChange, holdChange } from './stop.ts'

/** A newer text in the hands of one turn. */
export interface ChangeTurn extends PublishingTurn {
  act: 'change'
  /** The text that is out. */
  former: string
}

/** Takes the change of an intent for one turn. @returns undefined when there is nothing to do now */
export function claimChange(ctx: Ctx, publicationId: string): Promise<ChangeTurn | undefined> {
  return transact(ctx, async (txn) => {
    const publication = await lockPublication(txn, publicationId).catch(() => undefined)
    if (publication?.status !== 'published') return undefined
    const now = txn.clock.now()
    const { changeStatus, changeNextAt, changeOutputId, changeHash, leaseUntil, outputId } = publication
    if (changeStatus !== 'waiting' && changeStatus !== 'sending') return undefined
    // One that was dropped may still be on its way: another text does not overtake it.
    if (leaseUntil && leaseUntil.getTime() > now) {
      lookAtChange(txn, publication, leaseUntil)
      return undefined
    }
    const isDue = changeNextAt !== null && changeNextAt.getTime() <= now
    if (!isDue && changeStatus !== 'sending') return undefined
    const connection = await lockConnection(txn, publication.channelId)
    publication.changeStatus = 'waiting'
    if (await isShut(txn, publication.tenantId)) {
      lookAtChange(txn, publication, new Date(now + shutMs))
      return undefined
    }
    const planned = { outputId: changeOutputId, contentHash: changeHash }
    const obstacle = await obstacleOf(txn, publication, connection, planned)
    if ('reason' in obstacle || !connection) {
      await holdChange(txn, publication, 'reason' in obstacle ? obstacle.reason : 'channel_disconnected')
      return undefined
    }
    const connector = txn.services.connectors.get(publication.channelType)
    const fault = changeFault(txn, publication)
    if (!connector || fault !== undefined) {
      await failChange(txn, publication, fault ?? '')
      return undefined
    }
    const until = spendLimits(connection, connector.capabilities.limits, now)
    if (until) {
      lookAtChange(txn, publication, until)
      return undefined
    }
    publication.changeStatus = 'sending'
    publication.attempt += 1
    publication.leaseUntil = new Date(now + leaseMs)
    // Should this process die, another turn begins when the lease ends.
    lookAtChange(txn, publication, publication.leaseUntil)
    const former = (await txn.em.findOne(Output, { id: outputId }))?.text ?? ''
    const turn = { publication, connection, connector, former, heard: {}, inDoubt: false }
    return { ...turn, act: 'change' as const, ...obstacle }
  })
}
