/**
 * A command-line agent in one file: reads a prompt, writes lines of JSON, ends. Copy it, and put your model into `write`.
 * What Copydesk sends and understands is described in docs/agents/command-line.md.
 *
 * Usage: node agent.ts [--resume SESSION] < prompt
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

/** What is kept of a conversation, in the folder that lasts. */
interface Session {
  turns: number
}

const { values } = parseArgs({
  options: { resume: { type: 'string' }, version: { type: 'boolean' } },
})
if (values.version) {
  console.log('example agent 1.0.0')
  process.exit(0)
}

const { HOME = '.' } = process.env
const sessionId = values.resume ?? randomUUID()
const file = join(HOME, `${sessionId}.json`)
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`)

function readSession(): Session {
  if (values.resume === undefined) return { turns: 0 }
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Session
  } catch {
    // Copydesk tries once more, without the conversation.
    process.stderr.write(`There is no conversation ${sessionId} here\n`)
    process.exit(65)
  }
}

/** Writes the piece bit by bit; without a model, from the lines `- **Name**: what there is to say` of the brief. */
function* write(prompt: string, { turns }: Session): Generator<string> {
  const products = [...prompt.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)]
  if (products.length === 0)
    throw new Error('The brief has no line of the form “- **Name**: text” to write from')
  yield `# ${products.map(([, name]) => name).join(', ')}\n\n`
  for (const [, name, about] of products) yield `${name}: ${about}.\n\n`
  const again = turns > 0 ? `, taken up for the ${turns + 1}. time` : ''
  yield `_Composed from the brief by the example command-line agent${again}. No model wrote this._\n`
}

const session = readSession()
const prompt = await text(process.stdin)
try {
  let whole = ''
  for (const delta of write(prompt, session)) {
    say({ type: 'delta', text: delta })
    whole += delta
  }
  mkdirSync(HOME, { recursive: true })
  writeFileSync(file, JSON.stringify({ turns: session.turns + 1 } satisfies Session))
  const usage = { inputTokens: prompt.length >> 2, outputTokens: whole.length >> 2 }
  say({ type: 'result', text: whole, sessionId, usage })
} catch (error) {
  say({ type: 'error', message: (error as Error).message, family: 'invalid' })
  process.exitCode = 1
}
