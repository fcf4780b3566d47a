/** The body that Copydesk posts to dispatch a run to a runtime. */
export interface Dispatch {
  /** The id of the run. */
  taskId: string
  /** Authorizes requests for this run, and for this attempt of it. */
  taskToken: string
  /** How long the run may go on without a heartbeat. */
  timeoutMs: number
  callbackUrl: string
  tenantId: string
  agentRole: string
  wakeReason: string
  prompt: string
  systemPrompt: string
  skillsContext: string
  /** The session of an earlier run of the same activity, when the runtime has reported one. */
  sessionId: string | null
}

/** The part of a request that a dispatch needs, independent of the server. */
export interface Incoming {
  method: string
  header(name: string): string | undefined
  /** @returns the whole body, or undefined when it is larger than `limit` bytes */
  read(limit: number): Promise<string | undefined>
}

export interface Answer {
  status: number
  text: string
  headers?: Record<string, string>
}

export interface DispatchEndpoint {
  secret: { header: string; value: string }
  maxBytes: number
}

/** Parses a dispatch. @returns it, or the response that rejects it with the reason */
export async function takeIn(
  incoming: Incoming,
  { secret, maxBytes }: DispatchEndpoint,
): Promise<Dispatch | Answer> {
  // First, so that a HEAD request with the secret can test the secret.
  if (!(await isSame(incoming.header(secret.header) ?? '', secret.value)))
    return { status: 401, text: `The header ${secret.header} does not carry the secret of this runtime.` }
  if (incoming.method !== 'POST') {
    return { status: 405, text: 'A dispatch must be a POST request.', headers: { allow: 'POST' } }
  }
  if (!/^application\/json\s*(;|$)/i.test(incoming.header('content-type') ?? ''))
    return { status: 415, text: 'A dispatch must have the content type application/json.' }
  const tooLarge = { status: 413, text: `A dispatch may have at most ${maxBytes} bytes here.` }
  if (Number(incoming.header('content-length') ?? 0) > maxBytes) return tooLarge
  const body = await incoming.read(maxBytes)
  if (body === undefined) return tooLarge
  try {
    return toDispatch(JSON.parse(body))
  } catch (error) {
    const why = error instanceof TypeError ? error.message : 'The body is not JSON.'
    return { status: 400, text: why }
  }
}

export const isDispatch = (found: Dispatch | Answer): found is Dispatch => 'taskToken' in found

/** Unknown fields are allowed. @throws TypeError that names the missing field */
function toDispatch(value: unknown): Dispatch {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const text = (name: string) => {
    const found = given[name]
    return typeof found === 'string' ? found : ''
  }
  const { timeoutMs } = given
  if (text('taskId') === '') throw new TypeError('A dispatch must have a taskId.')
  // It becomes part of a header.
  if (!/^[\x21-\x7e]+$/.test(text('taskToken'))) throw new TypeError('A dispatch must have a taskToken.')
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new TypeError('A dispatch must have a positive number timeoutMs.')
  return {
    taskId: text('taskId'),
    taskToken: text('taskToken'),
    timeoutMs,
    callbackUrl: text('callbackUrl'),
    tenantId: text('tenantId'),
    agentRole: text('agentRole'),
    wakeReason: text('wakeReason'),
    prompt: text('prompt'),
    systemPrompt: text('systemPrompt'),
    skillsContext: text('skillsContext'),
    sessionId: text('sessionId') || null,
  }
}

/**
 * The base URL of the Copydesk server that sent a dispatch, from its `callbackUrl`.
 * @returns undefined when that is not the callback of the run
 */
export function originOf({ callbackUrl, taskId }: Dispatch): string | undefined {
  const url = URL.parse(callbackUrl)
  const path = `/agent/v1/callback/${encodeURIComponent(taskId)}`
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith(path)) return undefined
  return url.origin + url.pathname.slice(0, -path.length)
}

/** Compares digests of equal length, so that the duration reveals nothing about the secret. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(digest))
  let difference = 0
  for (const [i, byte] of (a as Uint8Array).entries()) difference |= byte ^ ((b as Uint8Array)[i] as number)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
