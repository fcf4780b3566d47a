import { ApiError } from '@copydesk/client'
import type { Command } from 'commander'
import { escapeUnseen, toJson } from '../render/clean.ts'
import type { Options } from './api-command.ts'
import { wrongUsage } from './failure.ts'
import { textFromStdin } from './prompts.ts'
import { connectionOf, outputOf } from './session.ts'

/**
 * Sends a request and prints the body of its response, JSON indented; a stream as it arrives.
 * @throws ApiError for every response that is not 2xx
 */
export async function sendRequest(
  method: string,
  path: string,
  { query, body }: Options,
  command: Command,
): Promise<void> {
  const output = outputOf(command)
  const sent = body === '-' ? await textFromStdin() : body
  if (sent !== undefined && !isJson(sent)) throw wrongUsage('--body is no JSON.')
  const connection = await connectionOf(command, output)
  const prefix = connection.context.tenant ? '/dashboard/v1' : '/cli/v1'
  const whole = path.startsWith(`${prefix}/`) ? path : `${prefix}/${path.replace(/^\//, '')}`
  const target = new URL(whole, 'http://server')
  if (!target.pathname.startsWith(`${prefix}/`) || target.host !== 'server')
    throw wrongUsage(`The path must be below ${prefix}, such as /queue.`)
  for (const [name, value] of query) target.searchParams.append(name, value)
  const response = await connection.request(target.pathname + target.search, {
    method,
    headers: { accept: '*/*', ...(sent !== undefined && { 'content-type': 'application/json' }) },
    ...(sent !== undefined && { body: sent }),
  })
  if (!response.ok) throw await ApiError.from(response)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return copied(response)
  const text = await response.text()
  if (text !== '')
    process.stdout.write(
      isJson(text) ? `${toJson(output.picked(JSON.parse(text)), 2)}\n` : escapeUnseen(text),
    )
}

async function copied({ body }: Response): Promise<void> {
  if (!body) return
  for await (const text of body.pipeThrough(new TextDecoderStream())) process.stdout.write(escapeUnseen(text))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
