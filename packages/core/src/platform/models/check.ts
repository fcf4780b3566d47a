import { familyOfStatus } from './families.ts'
import type { ModelCheck } from './port.ts'

const LONGEST_CHECK_MS = 10_000

/**
 * Asks a provider for its list of models: that proves the address, the network and the key, and costs nothing.
 * @param options `mustServe` makes a listed model that the server lacks a failure, for servers that people fill
 *   themselves; names are compared leniently, since servers add tags and dates
 * @returns never throws
 */
export async function checkModels(options: {
  id: string
  baseUrl: string
  headers: Record<string, string>
  models: readonly string[]
  mustServe: boolean
  fetch: typeof globalThis.fetch
  signal?: AbortSignal | undefined
}): Promise<ModelCheck> {
  const { id, baseUrl } = options
  let response: Response
  let body: string
  try {
    response = await options.fetch(`${baseUrl}/models`, {
      headers: options.headers,
      signal: AbortSignal.any([
        AbortSignal.timeout(LONGEST_CHECK_MS),
        ...(options.signal ? [options.signal] : []),
      ]),
    })
    body = await response.text()
  } catch (error) {
    return {
      ok: false,
      reached: false,
      message: `Provider ${id} cannot be reached at ${baseUrl}. Check the address and that the server is running.`,
      detail: reasonOf(error),
    }
  }
  if (response.ok) return compare(options, listed(body))
  const detail = `HTTP ${response.status}`
  switch (familyOfStatus(response.status)) {
    case 'auth':
      return {
        ok: false,
        reached: true,
        message: `Provider ${id} refused the credentials. Check its API key.`,
        detail,
      }
    case 'quota':
      return {
        ok: false,
        reached: true,
        message: `Provider ${id} is overloaded or its quota is used up.`,
        detail,
      }
    case 'transient':
      return {
        ok: false,
        reached: true,
        message: `Provider ${id} has a fault on its side. Try again later.`,
        detail,
      }
    default:
      // Some compatible servers have no list; what they can do shows in the first run.
      if (options.mustServe && (response.status === 404 || response.status === 405)) {
        return {
          ok: true,
          reached: true,
          message: `Provider ${id} answers, but does not list its models.`,
          detail,
        }
      }
      return {
        ok: false,
        reached: true,
        message: `Provider ${id} does not speak the expected protocol at ${baseUrl}.`,
        detail,
      }
  }
}

function compare(
  options: { id: string; models: readonly string[]; mustServe: boolean },
  found: string[],
): ModelCheck {
  const { id } = options
  const missing = options.models.filter((wanted) => !found.some((name) => sameModel(name, wanted)))
  if (found.length === 0 || missing.length === 0)
    return { ok: true, reached: true, message: `Provider ${id} answers.` }
  const detail = `Not listed: ${missing.join(', ')}. Listed: ${found.slice(0, 10).join(', ')}.`
  if (!options.mustServe) return { ok: true, reached: true, message: `Provider ${id} answers.`, detail }
  return {
    ok: false,
    reached: true,
    message: `Provider ${id} does not have the model ${missing.join(', ')}. Install it there or choose another.`,
    detail,
  }
}

function sameModel(name: string, wanted: string): boolean {
  return name === wanted || name.startsWith(`${wanted}:`) || name.startsWith(`${wanted}-`)
}

function listed(body: string): string[] {
  try {
    const data: unknown = (JSON.parse(body) as { data?: unknown }).data
    if (!Array.isArray(data)) return []
    return data.flatMap((entry: unknown) => {
      const name = (entry as { id?: unknown } | null)?.id
      return typeof name === 'string' ? [name] : []
    })
  } catch {
    return []
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
