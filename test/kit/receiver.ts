import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as a receiver of webhooks gets it. */
export interface Received {
  path: string
  /** `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
  id: string
  timestamp: string
  signature: string
  body: string
}

/** How a receiver answers: with a status and headers, not at all (`hang up`), or when the promise settles. */
export type Reply = number | { status: number; headers: Record<string, string> } | 'hang up'
type Replier = (received: Received, index: number) => Reply | Promise<Reply>

export interface Receiver extends AsyncDisposable {
  url: string
  /** Everything that has arrived, in order, taken or not. */
  received: Received[]
  reply: Replier
}

/** A receiver of outgoing webhooks. Responds with 204 by default. */
export async function createReceiver(reply: Replier = () => 204): Promise<Receiver> {
  const received: Received[] = []
  const receiver = { received, reply }
  const take = async (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const header = (name: string) => String(req.headers[name] ?? '')
    received.push({
      path: req.url ?? '',
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      body: Buffer.concat(chunks).toString('utf8'),
    })
    const answer = await receiver.reply(received.at(-1) as Received, received.length - 1)
    if (answer === 'hang up') return void req.socket.destroy()
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer
    res.writeHead(status, headers).end()
  }
  const server = createServer((req, res) => void take(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
