import type { Sql } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import type { RateLimits } from '../../../platform/models/port.ts'
import type { PriceTable } from '../../../platform/models/prices.ts'
import { LlmPrice, LlmProvider, LlmProviderState, type ProviderHealth } from './entities.ts'

/** Providers and prices belong to the installation, so these statements take no scope. */

const p = table(LlmProvider, 'p')

const provider = select(pick(p, 'id', 'name', 'type', 'baseUrl', 'apiKeySealed', 'models', 'status'))
export type StoredProvider = RowOf<typeof provider>

/** In the order in which they were added. */
export function storedProviders(sql: Sql): Promise<StoredProvider[]> {
  return provider.all(sql, `from ${p} order by p.id`)
}

const c = table(LlmPrice, 'c')
const price = select({ model: c.model, input: c.inputMicros, output: c.outputMicros })

export async function storedPrices(sql: Sql): Promise<PriceTable> {
  const rows = await price.all(sql, `from ${c} order by c.model`)
  return Object.fromEntries(rows.map(({ model, ...micros }) => [model, micros]))
}

const s = table(LlmProviderState, 's')
const state = select({ status: s.status, rpm: s.rateLimitRpm, tpm: s.rateLimitTpm })

/** The last word from a provider. */
export interface ProviderWord {
  status: ProviderHealth
  message: string | null
  limits?: RateLimits | undefined
  /** Set by a check; a call leaves the time of the last one. */
  checked?: true
}

/** Keeps the last word from a provider; what says nothing new writes nothing. */
export async function noteState(tx: Sql, id: string, word: ProviderWord, at: Date): Promise<void> {
  const { status, message, limits = {}, checked } = word
  const known = await state.get(tx, `from ${s} where s.id = ?`, [id])
  const rpm = limits.requests ?? known?.rpm ?? null
  const tpm = limits.tokens ?? known?.tpm ?? null
  // Looked at before it is locked: calls of one provider need not wait for each other.
  const same = known?.status === status && rpm === known.rpm && tpm === known.tpm
  if (same && !checked) return
  await tx.run(
    `insert into llm_provider_states as s (id, status, message, rate_limit_rpm, rate_limit_tpm, last_checked_at, updated_on)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set status = excluded.status, message = excluded.message,
       rate_limit_rpm = excluded.rate_limit_rpm, rate_limit_tpm = excluded.rate_limit_tpm,
       last_checked_at = coalesce(excluded.last_checked_at, s.last_checked_at), updated_on = excluded.updated_on`,
    [id, status, message, rpm, tpm, checked ? at : null, at],
  )
}
