import type { Ctx } from '../../../kernel/context.ts'
import { callMs } from '../../accounts/channels/platform-call.ts'
import type { HoldReason, PublicationRow } from './entities.ts'

/** How long one turn counts as alive after its last sign, milliseconds: longer than any request of its may take. */
export const leaseMs = 4 * callMs

/** Failed turns after which an intent is given up until a person retries it. */
export const mostTurns = 8

/** How often the platform is asked about a lost answer before a person is. */
export const mostChecks = 6

const waits = [30, 120, 300, 900, 1_800, 3_600]

/** How long an intent waits after so many turns that came to nothing, milliseconds: half a minute at first, an hour at most. */
export function waitMs(times: number): number {
  return (waits[Math.min(times, waits.length) - 1] ?? 30) * 1_000
}

/** How long an intent of a tenant waits for which nothing may go out at present, milliseconds. */
export const shutMs = 30 * 60_000

/** What is held because of its text goes on with a newer one. */
export const isHeldForText = (reason: HoldReason | null): boolean =>
  reason === 'content_changed' || reason === 'not_approved'

/** Whether a post is out already, as far as is known, of an intent that has not been told so. */
export const isKnownOut = ({ services }: Ctx, { channelType, progress }: PublicationRow): boolean =>
  services.connectors.get(channelType)?.isOut?.(progress) ?? false
