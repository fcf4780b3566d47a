/** What Copydesk posts to give a run to a runtime. */
export interface Dispatch {
  /** The id of the run. */
  taskId: string
  /** Speaks for this run, and for this attempt of it. */
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
  /** The conversation of an earlier run of the same activity, where the runtime has named one. */
  sessionId: string | null
}

/** A request as far as a dispatch needs it, from whatever server it comes. */
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

export interface Door {
  secret: { header: string; value: string }
  maxBytes: number
}

/** Takes a dispatch in. @returns it, or the answer that refuses it and says why */
export async function takeIn(incoming: Incoming, { secret, maxBytes }: Door): Promise<Dispatch | Answer> {
  // First, so that a HEAD with the secret tells whether it is the right one.
  if (!(await isSame(incoming.header(secret.header) ?? '', secret.value)))
    return { status: 401, text: `The header ${secret.header} does not carry the secret of this runtime.` }
  if (incoming.method !== 'POST') {
    return { status: 405, text: 'Work is given by POST.', headers: { allow: 'POST' } }
  }
  if (!/^application\/json\s*(;|$)/i.test(incoming.header('content-type') ?? ''))
    return { status: 415, text: 'A dispatch is application/json.' }
  const tooLarge = { status: 413, text: `A dispatch may have ${maxBytes} bytes here.` }
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

/** Fields that may come later are let through. @throws TypeError that says what is missing */
function toDispatch(value: unknown): Dispatch {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const text = (name: string) => {
    const found = given[name]
    return typeof found === 'string' ? found : ''
  }
  const { timeoutMs } = given
  if (text('taskId') === '') throw new TypeError('A dispatch names its run in taskId.')
  // It goes into a header.
  if (!/^[\x21-\x7e]+$/.test(text('taskToken')))
    throw new TypeError('A dispatch carries its token in taskToken.')
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new TypeError('A dispatch says in timeoutMs how many milliseconds there are.')
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
 * Where the Copydesk is that a dispatch comes from, by its `callbackUrl`.
 * @returns undefined when that is not the callback of the run
 */
export function originOf({ callbackUrl, taskId }: Dispatch): string | undefined {
  const url = URL.parse(callbackUrl)
  const path = `/agent/v1/callback/${encodeURIComponent(taskId)}`
  if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith(path)) return undefined
  return url.origin + url.pathname.slice(0, -path.length)
}

/** Compares digests, which have one length: how long it takes tells nothing about the secret. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(digest))
  let difference = 0
  for (const [i, byte] of (a as Uint8Array).entries()) difference |= byte ^ ((b as Uint8Array)[i] as number)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
