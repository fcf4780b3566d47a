import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toNewJob } from '../../../kernel/jobs.ts'
import type { ModelCheck, ModelProvider } from '../../../platform/models/port.ts'
import { checkProviderJob, providerCheck } from './jobs.ts'
import { getProvider, listProviders } from './provider-queries.ts'
import { noteState, storedProviders } from './queries.ts'
import { accessOf } from './registry.ts'
import type { ProviderItem } from './schemas.ts'

/** A provider from which nothing was heard for so long is asked again. */
export const checkEveryMs = 10 * 60_000

/**
 * Asks a provider whether it answers and takes its key, and keeps what it says. Spends no tokens.
 * @param id of one that was added, or its name in the configuration
 * @throws DomainError `NOT_FOUND`
 */
export async function checkProvider(ctx: Ctx, id: string, signal?: AbortSignal): Promise<ProviderItem> {
  const provider = await find(ctx, id)
  if (!provider) throw notFound('provider')
  const word = await provider.check(signal)
  if (!signal?.aborted) await keep(ctx, id, word)
  return getProvider(ctx, id)
}

/** The job after a provider was changed. One that was removed meanwhile needs no check. */
export async function runCheck(
  ctx: Ctx,
  { providerId }: { providerId: string },
  signal: AbortSignal,
): Promise<void> {
  const provider = await find(ctx, providerId)
  if (!provider) return
  const word = await provider.check(signal)
  if (!signal.aborted) await keep(ctx, providerId, word)
}

/** Has every provider asked that was not asked for a while. */
export async function checkStale(ctx: Ctx): Promise<void> {
  const before = ctx.clock.now() - checkEveryMs
  const { data } = await listProviders(ctx)
  const stale = data.filter(
    ({ enabled, lastCheckedAt }) => enabled && (lastCheckedAt?.getTime() ?? 0) <= before,
  )
  if (stale.length > 0)
    await ctx.services.jobs.add(stale.map(({ id }) => toNewJob(checkProviderJob, providerCheck(id))))
}

async function find(ctx: Ctx, id: string): Promise<ModelProvider | undefined> {
  const { models, encryptor } = ctx.services
  const row = (await storedProviders(ctx.sql)).find((stored) => stored.id === id)
  if (row) return models.build(accessOf(row, encryptor, ctx.log))
  return models.served.find((entry) => entry.configured && entry.provider.id === id)?.provider
}

async function keep(ctx: Ctx, id: string, { ok, reached, message, detail }: ModelCheck): Promise<void> {
  const status = ok ? 'healthy' : reached ? 'degraded' : 'unreachable'
  const said = detail === undefined ? message : `${message} (${detail})`
  const word = { status, message: ok ? null : said, checked: true } as const
  await ctx.db.write((tx) => noteState(tx, id, word, ctx.clock.date()))
}
