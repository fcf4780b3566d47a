/**
 * An agent runtime in one file: all that a program has to do so that Copydesk can give it work. Copy it, and put your
 * model into `write`. The protocol is described in docs/agents/protocol.md.
 *
 * Environment: `SECRET` is the `authValue` of the agent, `PORT` is 8430 and `COPYDESK_URL` http://127.0.0.1:8420 unless set.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type CallInput, type Client, createClient, type Reply } from '@copydesk/client'

const { SECRET = '', PORT = '8430', COPYDESK_URL = 'http://127.0.0.1:8420' } = process.env
if (SECRET === '') {
  console.error('Set SECRET to the value that Copydesk is to send in the header x-runtime-key.')
  process.exit(1)
}

type Context = Reply<'agent', 'GET /runs/:runId/context'>
type Result = CallInput<'agent', 'POST /runs/:runId/result'>['body']

/** Of the JSON that Copydesk posts, what is used here. */
interface Dispatch {
  taskId: string
  taskToken: string
  timeoutMs: number
}

/** A failure that says what is to follow: `transient` and `quota` are tried again, any other family needs a person. */
class WriteError extends Error {
  readonly family: 'transient' | 'quota' | 'auth' | 'refusal' | 'invalid'
  constructor(family: WriteError['family'], message: string) {
    super(message)
    this.family = family
  }
}

/**
 * Writes the piece, bit by bit. A model would be given `systemPrompt` and `prompt`, which hold everything; without one,
 * the lines of the brief in the form `- **Name**: what there is to say` are all that is understood.
 */
async function* write({ prompt, rejectionNote: note }: Context): AsyncGenerator<string> {
  const products = new Map<string, string>()
  for (const [, name = '', text = ''] of prompt.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm))
    if (!products.has(name)) products.set(name, text)
  if (products.size === 0)
    throw new WriteError('invalid', 'The brief has no line of the form “- **Name**: text” to write from')
  // What the reviewer names comes first; of a piece that was too long only that is left.
  const isNamed = (name: string) => note?.toLowerCase().includes(name.toLowerCase()) ?? false
  const sorted = [...products].toSorted(([one], [other]) => Number(isNamed(other)) - Number(isNamed(one)))
  const chosen = note && /\bshort/i.test(note) ? sorted.slice(0, 1) : sorted
  yield `# ${chosen.map(([name]) => name).join(', ')}\n\n`
  for (const [name, text] of chosen) yield `${name}: ${text}.\n\n`
  const after = note ? `, after the note “${note}”` : ''
  yield `_Composed from the brief by the example agent runtime${after}. No model wrote this._\n`
}

/** Does the work of one run. @returns what to deliver, or undefined when nobody waits for it any more */
async function perform(copydesk: Client, runId: string): Promise<Result | undefined> {
  const params = { runId }
  const { status } = await copydesk.call('agent', 'GET /runs/:runId/status', { params })
  if (status !== 'running') return undefined
  const context = await copydesk.call('agent', 'GET /runs/:runId/context', { params })
  // The piece stands as a person has approved it. An approved question comes without one: then it is still to be written.
  if (context.wakeReason === 'review_approved' && context.priorOutput !== undefined)
    return { status: 'success', metadata: { nothingToDo: true } }
  let text = ''
  let sequenceNum = 0
  // A run may make 60 calls a minute: send what a model says by the paragraph or by the second, not by the token.
  for await (const delta of write(context)) {
    await copydesk.call('agent', 'POST /runs/:runId/stream', { params, body: { delta, sequenceNum } })
    sequenceNum += 1
    text += delta
  }
  // Copydesk asks people for their verdict on it; a piece that is sent back comes as a new run.
  return { status: 'success', text }
}

function toFailure(error: unknown): Result {
  // The run was ended or given to somebody else: it takes nothing more from here.
  if (error instanceof ApiError && error.status === 401) throw error
  const family = error instanceof WriteError ? error.family : 'internal'
  return { status: 'error', error: (error as Error).message, metadata: { family } }
}

async function run({ taskId, taskToken, timeoutMs }: Dispatch): Promise<string> {
  // The token goes to the configured address only, whatever the dispatch says.
  const fetch = patient(AbortSignal.timeout(timeoutMs))
  const copydesk = createClient({ baseUrl: COPYDESK_URL, token: taskToken, fetch })
  const result = await perform(copydesk, taskId).catch(toFailure)
  if (!result) return 'is not running any more'
  await copydesk.call('agent', 'POST /runs/:runId/result', { params: { runId: taskId }, body: result })
  return result.error ? `has failed: ${result.error}` : 'was delivered'
}

/** Tries again while Copydesk restarts or asks to wait. Deltas have numbers and only the first result counts, so nothing is done twice. */
function patient(deadline: AbortSignal): typeof fetch {
  return async (url, init) => {
    for (let waitMs = 1_000; ; waitMs = Math.min(waitMs * 2, 30_000)) {
      const response = await fetch(url, { ...init, signal: deadline }).catch(() => undefined)
      deadline.throwIfAborted()
      if (response && response.status !== 429 && response.status < 500) return response
      const askedMs = Number(response?.headers.get('retry-after') ?? 0) * 1_000
      await response?.body?.cancel()
      await sleep(Math.max(askedMs, waitMs), undefined, { signal: deadline })
    }
  }
}

/** Compares digests, which have one length: how long it takes tells nothing about the secret. */
function isCopydesk(header: string | string[] | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return typeof header === 'string' && timingSafeEqual(digest(header), digest(SECRET))
}

async function readDispatch(request: IncomingMessage): Promise<Dispatch> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  const dispatch = JSON.parse(text) as Dispatch
  if (!dispatch.taskId || !dispatch.taskToken || !(dispatch.timeoutMs > 0)) throw new Error('No dispatch')
  return dispatch
}

const server = createServer((request, response) => {
  const answer = (status: number) => void response.writeHead(status).end()
  if (request.method !== 'POST') return answer(405)
  if (!isCopydesk(request.headers['x-runtime-key'])) return answer(401)
  readDispatch(request).then(
    (dispatch) => {
      // The answer does not wait for the work: Copydesk gives a runtime 15 seconds to say that it takes it.
      answer(202)
      const tell = (what: string) => console.log(`run ${dispatch.taskId} ${what}`)
      run(dispatch).then(tell, (error: Error) => tell(`was given up: ${error.message}`))
    },
    () => answer(400),
  )
})

server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`The agent runtime listens on http://127.0.0.1:${port}/ and reports to ${COPYDESK_URL}.`)
})
