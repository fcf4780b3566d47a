import type { Ctx } from '../../../../kernel/context.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { AdapterType } from '../../../agents/configuration/entities.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import { commandLineAdapter } from './command-line.ts'
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

const adapters: Readonly<Record<AdapterType, Adapter>> = {
  adapter_a: commandLineAdapter,
  adapter_b: webhookAdapter,
  local: localAdapter,
}

export function adapterFor(type: AdapterType): Adapter {
  return adapters[type]
}
