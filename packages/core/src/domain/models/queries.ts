import type { Row, Sql } from '../../platform/database/database.ts'
import { asJson, asNumber } from '../../platform/database/row.ts'
import type { RateLimits } from '../../platform/models/port.ts'
import type { ModelPrice, PriceTable } from '../../platform/models/prices.ts'
import type { OfferedModel, ProviderHealth, ProviderType } from './entities.ts'

/** Providers and prices belong to the installation, so these statements take no scope. */

export interface StoredProvider {
  id: string
  name: string
  type: ProviderType
  baseUrl: string | null
  apiKeySealed: string | null
  models: OfferedModel[]
  status: 'active' | 'disabled'
}

/** In the order in which they were added. */
export async function storedProviders(sql: Sql): Promise<StoredProvider[]> {
  const rows = await sql.all<Row>(
    'select id, name, type, base_url, api_key_sealed, models, status from llm_providers order by id',
  )
  return rows.map((row) => ({
    id: row.id as string,
    name: row.name as string,
    type: row.type as ProviderType,
    baseUrl: row.base_url as string | null,
    apiKeySealed: row.api_key_sealed as string | null,
    models: asJson<OfferedModel[]>(row.models) ?? [],
    status: row.status as StoredProvider['status'],
  }))
}

export async function storedPrices(sql: Sql): Promise<PriceTable> {
  const rows = await sql.all<Row>('select model, input_micros, output_micros from llm_prices order by model')
  const entries = rows.map((row): [string, ModelPrice] => [
    row.model as string,
    { input: asNumber(row.input_micros), output: asNumber(row.output_micros) },
  ])
  return Object.fromEntries(entries)
}

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
  const known = await tx.get<Row>(
    'select status, rate_limit_rpm, rate_limit_tpm from llm_provider_states where id = ?',
    [id],
  )
  const rpm = limits.requests ?? (known?.rate_limit_rpm as number | null | undefined) ?? null
  const tpm = limits.tokens ?? (known?.rate_limit_tpm as number | null | undefined) ?? null
  // Looked at before it is locked: calls of one provider need not wait for each other.
  const same =
    known?.status === status &&
    rpm === (known.rate_limit_rpm ?? null) &&
    tpm === (known.rate_limit_tpm ?? null)
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
