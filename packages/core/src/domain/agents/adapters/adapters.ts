import type { Ctx } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Dispatch } from '../../runs/begin.ts'
import type { EffectiveAgent } from '../effective-queries.ts'
import type { AdapterType } from '../entities.ts'
import { localAdapter } from './local.ts'
import { webhookAdapter } from './webhook.ts'

export interface AdapterCheck {
  name: string
  ok: boolean
  detail?: string
}

/** A way to reach an agent. All of them report through the same functions as a remote runtime does. */
export interface Adapter {
  /** Says whether work could be given to the agent now. Spends no tokens. */
  check(ctx: Ctx, agent: EffectiveAgent): Promise<AdapterCheck[]>
  /**
   * Gives the run to the agent. `finished`: its result has been delivered; `accepted`: it will come later.
   * @throws anything, which fails the run; an error with a `family` says how
   */
  start(ctx: Ctx, dispatch: Dispatch, signal: AbortSignal): Promise<'finished' | 'accepted'>
}

/** @throws DomainError `UNPROCESSABLE` for a type that this installation does not serve */
export function adapterFor(type: AdapterType): Adapter {
  if (type === 'local') return localAdapter
  if (type === 'adapter_b') return webhookAdapter
  throw new DomainError('UNPROCESSABLE', `Agents of type ${type} are not served here`)
}
