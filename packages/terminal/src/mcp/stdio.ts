import { once } from 'node:events'
import { createClient } from '@copydesk/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import type { OperationContext } from '../operations/operation.ts'
import { exitCodes, Failure } from '../shell/failure.ts'
import { connectionOf, outputOf } from '../shell/session.ts'
import { marked } from './assistant.ts'
import { createAssistantServer, type ToolContext } from './tools.ts'

/** The name of the assistant until it declares one. */
const fallbackName = 'copydesk mcp'

/** `mcp`. @throws Failure for the login of a tenant's user; what `connectionOf` and `serveOnStdio` throw */
export async function serveAssistant(command: Command, version: string): Promise<void> {
  const output = outputOf(command)
  const connection = await connectionOf(command, output)
  if (connection.context.tenant)
    throw new Failure('An assistant is for reviewers and super-admins: name another login with --profile.', {
      exitCode: exitCodes.forbidden,
    })
  output.info(`Serving an assistant: ${connection.describe()}. Ends when stdin is closed.`)
  await serveOnStdio(connection, version, output.warn)
}

/**
 * Serves the assistant on stdin and stdout with the credential of the connection, until stdin is closed.
 * Nothing else may write to stdout meanwhile.
 * @param tell prints errors that are not part of a response
 * @throws ApiError when the server does not accept an assistant with this credential; Failure when it cannot
 * be reached
 */
async function serveOnStdio(
  connection: Connection,
  version: string,
  tell: (message: string) => void,
): Promise<void> {
  const { url, context, tenantId, request } = connection
  const send: typeof fetch = (input, init) => request(String(input).slice(url.length), init)
  const deskFor = (assistant: string, consent?: string): OperationContext => ({
    client: createClient({ baseUrl: url, fetch: marked(send, assistant, consent) }),
    now: context.now,
  })
  const caller = await deskFor(fallbackName).client.call('cli', 'GET /me')
  const toolContext: ToolContext = {
    contextFor: deskFor,
    caller,
    where: url,
    fallbackName,
    onFault: (error) => tell(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    ...(tenantId !== undefined && { tenantId }),
  }
  const closed = once(process.stdin, 'close')
  const served = serveStdio(() => createAssistantServer(toolContext, version), {
    onerror: (error) => tell(error.message),
  })
  await closed
  await served.close()
}
