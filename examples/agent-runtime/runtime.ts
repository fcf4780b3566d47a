/**
 * An agent runtime in one file: all that a program has to do so that Copydesk can give it work. Copy it, and put your
 * model into `write`. What the kit does for it is told in docs/agents/kit.md.
 *
 * Environment: `SECRET` is the `authValue` of the agent, `PORT` is 8430 and `COPYDESK_URL` http://127.0.0.1:8420 unless set.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AgentRun,
  createAgentRuntime,
  type RunContext,
  RunFailure,
  type RunResult,
} from '@copydesk/client/agent'

const { SECRET = '', PORT = '8430', COPYDESK_URL = 'http://127.0.0.1:8420' } = process.env
if (SECRET === '') {
  console.error('Set SECRET to the value that Copydesk is to send in the header x-runtime-key.')
  process.exit(1)
}

const runtime = createAgentRuntime({
  baseUrl: COPYDESK_URL,
  secret: { header: 'x-runtime-key', value: SECRET },
  perform,
  onEnd: ({ runId, outcome, error }) => console.log(`run ${runId} ${outcome}${error ? `: ${error}` : ''}`),
})

const server = createServer((request, response) => void runtime.node(request, response))
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`The agent runtime listens on http://127.0.0.1:${port}/ and reports to ${COPYDESK_URL}.`)
})

// What is running may end; what does not in half a minute is given back to Copydesk.
process.once('SIGTERM', () => {
  server.close()
  void runtime.close()
})

/** Does the work of one run. What is thrown becomes a failure that Copydesk hears of. */
async function perform(run: AgentRun): Promise<RunResult> {
  const context = await run.context()
  // The piece stands as a person has approved it. An approved question comes without one: then it is still to be written.
  if (context.wakeReason === 'review_approved' && context.priorOutput !== undefined)
    return { nothingToDo: true }
  for await (const delta of write(context, run.signal)) run.text(delta)
  // Copydesk asks people for their verdict on the text; a piece that is sent back comes as a new run.
  return { usage: { inputTokens: 0, outputTokens: 0 } }
}

/**
 * Writes the piece, bit by bit. A model would be given `systemPrompt`, `prompt` and `signal`, and that is all; without one,
 * the lines of the brief in the form `- **Name**: what there is to say` are all that is understood.
 */
async function* write(
  { prompt, rejectionNote: note }: RunContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const products = new Map<string, string>()
  for (const [, name = '', text = ''] of prompt.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm))
    if (!products.has(name)) products.set(name, text)
  if (products.size === 0)
    throw new RunFailure('invalid', 'The brief has no line of the form “- **Name**: text” to write from')
  // What the reviewer names comes first; of a piece that was too long only that is left.
  const isNamed = (name: string) => note?.toLowerCase().includes(name.toLowerCase()) ?? false
  const sorted = [...products].toSorted(([one], [other]) => Number(isNamed(other)) - Number(isNamed(one)))
  const chosen = note && /\bshort/i.test(note) ? sorted.slice(0, 1) : sorted
  yield `# ${chosen.map(([name]) => name).join(', ')}\n\n`
  for (const [name, text] of chosen) {
    signal.throwIfAborted()
    yield `${name}: ${text}.\n\n`
  }
  const after = note ? `, after the note “${note}”` : ''
  yield `_Composed from the brief by the example agent runtime${after}. No model wrote this._\n`
}
