import type { ModelProvider } from '../../platform/models/port.ts'

/** Finds the provider that serves a model. */
export interface ModelRegistry {
  /** The model to ask for: the one that is named when some provider serves it, else the default. */
  nameFor(model: string): string
  providerOf(model: string): ModelProvider
  readonly providers: readonly ModelProvider[]
}

/**
 * @param providers in order of preference; one of type `builtin` must be among them
 * @param defaultModel what agents use whose model no provider serves
 */
export function createModelRegistry(
  providers: readonly ModelProvider[],
  defaultModel: string,
): ModelRegistry {
  const find = (model: string) => providers.find((provider) => provider.models.includes(model))
  const fallback = find(defaultModel)
  if (!fallback) {
    const known = providers.flatMap((provider) => provider.models).join(', ')
    throw new Error(`No provider serves the default model ${defaultModel}. Known models: ${known}.`)
  }
  return {
    providers,
    nameFor: (model) => (find(model) ? model : defaultModel),
    providerOf: (model) => find(model) ?? fallback,
  }
}
