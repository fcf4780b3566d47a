import { compose, type StructuredBrief } from '@copydesk/writer'
import type { ProviderAccess } from '../domain/agents/models/registry.ts'
import type { TextThreads } from '../kernel/in-thread.ts'
import type { Services } from '../kernel/services.ts'
import type { Clock } from '../platform/clock.ts'
import { sha256Hex } from '../platform/crypto/hash.ts'
import { createBuiltinWriter } from '../platform/models/builtin.ts'
import type { ModelProvider } from '../platform/models/port.ts'
import type { CopydeskOptions } from './options.ts'

/** The providers of the options, and the built-in writer. */
export async function configuredProviders(
  options: CopydeskOptions,
  clock: Clock,
  build: (access: ProviderAccess) => Promise<ModelProvider>,
  threads: Services['threads'],
): Promise<ModelProvider[]> {
  const paceMs = options.writerPaceMs
  const writer = createBuiltinWriter({
    clock,
    compose: (brief, signal) => composeInThread(threads, brief, signal),
    ...(paceMs !== undefined && { paceMs }),
  })
  const own = await Promise.all((options.providers ?? []).map((given) => build({ ...given, name: given.id })))
  return [...own, writer]
}

/** The provider that an access leads to. */
export async function buildProvider(
  access: ProviderAccess,
  fetch: typeof globalThis.fetch,
  clock: Clock,
): Promise<ModelProvider> {
  // A megabyte of code that an installation without a provider never needs.
  const { createSdkProvider } = await import('../platform/models/sdk.ts')
  return createSdkProvider({ ...access, fetch, clock })
}

/** How many pieces of one brief wait. */
const mostOfBrief = 64

/** Briefs of fewer characters are composed at once: a thread, and the start of the first one, would take longer. */
const shortBrief = 4_000

/**
 * Has the built-in writer make a piece, of a long brief in a thread. Of one brief one piece is made at a time, so that a brief on which it labours
 * long holds up no one else's.
 * @throws ThreadFault
 */
async function composeInThread(
  threads: TextThreads,
  brief: StructuredBrief,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (JSON.stringify(brief).length < shortBrief) return compose(brief)
  const owner = `brief:${sha256Hex(brief.markdown ?? '')}`
  return threads.run('compose', brief, { owner, maxWaiting: mostOfBrief, signal })
}
