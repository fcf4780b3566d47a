import { once } from 'node:events'
import { createClient } from '@copydesk/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Connection } from '../account/connection.ts'
import type { Desk } from '../operations/operation.ts'
import { marked } from './assistant.ts'
import { createAssistantServer } from './server.ts'
import type { Office } from './tools.ts'

/** Its name as long as nobody has said one. */
const fallbackName = 'copydesk mcp'

/**
 * Serves the assistant at the other end of stdin and stdout, with the credential of the connection, until it closes stdin.
 * Nothing else may write to stdout meanwhile.
 * @param tell says to the person what goes wrong beside the answers
 * @throws ApiError when the server does not let an assistant in with this credential; Failure when it cannot be reached
 */
export async function serveOnStdio(
  connection: Connection,
  version: string,
  tell: (message: string) => void,
): Promise<void> {
  const { url, desk, tenantId, request } = connection
  const send: typeof fetch = (input, init) => request(String(input).slice(url.length), init)
  const deskFor = (assistant: string, consent?: string): Desk => ({
    client: createClient({ baseUrl: url, fetch: marked(send, assistant, consent) }),
    now: desk.now,
  })
  const caller = await deskFor(fallbackName).client.call('cli', 'GET /me')
  const office: Office = {
    deskFor,
    caller,
    where: url,
    fallbackName,
    onFault: (error) => tell(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...(tenantId !== undefined && { tenantId }),
  }
  const closed = once(process.stdin, 'close')
  const served = serveStdio(() => createAssistantServer(office, version), {
    onerror: (error) => tell(error.message),
  })
  await closed
  await served.close()
}
