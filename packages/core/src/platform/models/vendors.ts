import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type LanguageModelMiddleware, wrapLanguageModel } from 'ai'

export type VendorType = 'hosted_a' | 'hosted_b' | 'local' | 'custom'

/** Those that turn texts into vectors. */
export type EmbeddingVendor = Exclude<VendorType, 'hosted_a'>

export type SdkModel = ReturnType<typeof wrapLanguageModel>

/** Where a provider is and how to get in. */
export interface ModelVendor {
  type: VendorType
  /** With the version in its path and no slash at its end. */
  baseUrl: string
  apiKey?: string | undefined
  fetch: typeof globalThis.fetch
}

/**
 * Where a provider is asked, without a slash at the end.
 * @param baseUrl as it is configured; default: the address of a hosted provider
 * @returns undefined for a server of one's own without an address
 */
export function vendorUrl(type: VendorType, baseUrl: string | undefined): string | undefined {
  return (baseUrl ?? defaultUrls[type])?.replace(/\/+$/, '')
}

const defaultUrls: Partial<Record<VendorType, string>> = {
  hosted_a: 'https://api.anthropic.com/v1',
  hosted_b: 'https://api.openai.com/v1',
}

/**
 * A model of the SDK that speaks the vendor's protocol: never a bare name, which would go to a third party.
 * @param watch sees every request as it goes out and every answer as it comes
 */
export function sdkModel(vendor: ModelVendor, name: string, watch: LanguageModelMiddleware): SdkModel {
  return wrapLanguageModel({ model: vendorModel(vendor, name), middleware: [strict, watch] })
}

/** The same for a model that turns texts into vectors, which Anthropic does not offer. */
export function sdkEmbeddingModel(vendor: ModelVendor & { type: EmbeddingVendor }, name: string) {
  return vendor.type === 'hosted_b'
    ? openAi(vendor).embeddingModel(name)
    : compatible(vendor).embeddingModel(name)
}

function vendorModel(vendor: ModelVendor, name: string) {
  const { baseUrl: baseURL, apiKey = '', fetch } = vendor
  switch (vendor.type) {
    case 'hosted_a':
      return createAnthropic({ baseURL, apiKey, fetch })(name)
    case 'hosted_b':
      return openAi(vendor)(name)
    default:
      return compatible(vendor)(name)
  }
}

function openAi({ baseUrl, apiKey = '', fetch }: ModelVendor) {
  return createOpenAI({ baseURL: baseUrl, apiKey, fetch })
}

function compatible({ baseUrl, apiKey, fetch }: ModelVendor) {
  return createOpenAICompatible({
    name: 'compatible',
    baseURL: baseUrl,
    fetch,
    includeUsage: true,
    ...(apiKey && { apiKey }),
  })
}

/** The headers that let a plain request in, such as one for the list of models. */
export function accessHeaders(vendor: ModelVendor): Record<string, string> {
  if (!vendor.apiKey) return {}
  if (vendor.type === 'hosted_a') return { 'x-api-key': vendor.apiKey, 'anthropic-version': '2023-06-01' }
  return { authorization: `Bearer ${vendor.apiKey}` }
}

type StreamOf<Model extends SdkModel> = Awaited<ReturnType<Model['doStream']>>['stream']
type Part = StreamOf<SdkModel> extends ReadableStream<infer P> ? P : never

/**
 * Corrects what the SDK makes of a stream. It prints a provider's warnings to the whole process, where a library has
 * no business. And it runs the tools of a turn that broke off; a turn that is tried again would run them twice, so
 * here its calls are held until it has ended well.
 */
const strict: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  wrapStream: async ({ doStream }) => {
    const result = await doStream()
    let calls: Part[] = []
    const correct = new TransformStream<Part, Part>({
      transform: (part, out) => {
        if (part.type === 'tool-call') {
          calls.push(part)
          return
        }
        if (part.type === 'error') calls = []
        if (part.type === 'finish') {
          if (!wholeTurn.has(part.finishReason.unified)) calls = []
          for (const call of calls) out.enqueue(call)
        }
        out.enqueue(part.type === 'stream-start' ? { ...part, warnings: [] } : part)
      },
    })
    return { ...result, stream: result.stream.pipeThrough(correct) }
  },
}
const wholeTurn: ReadonlySet<string> = new Set(['stop', 'tool-calls', 'other'])
