import { composeInThread } from './domain/in-thread.ts'
import type { ProviderAccess } from './domain/models/registry.ts'
import type { Services } from './domain/services.ts'
import type { CopydeskOptions } from './options.ts'
import type { Clock } from './platform/clock.ts'
import type { ModelProvider } from './platform/models/port.ts'
import { createBuiltinWriter } from './platform/models/writer/writer.ts'

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
  const { createSdkProvider } = await import('./platform/models/sdk.ts')
  return createSdkProvider({ ...access, fetch, clock })
}
