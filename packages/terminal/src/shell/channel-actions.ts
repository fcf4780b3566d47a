import type { CallInput, Client } from '@copydesk/client'
import type { Command } from 'commander'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { secretFromStdin } from './prompts.ts'
import { connectionOf, outputOf } from './session.ts'

type Platform = CallInput<'dashboard', 'POST /channels/:platform/connect'>['params']['platform']

interface ConnectOptions {
  server?: string
  username?: string
  secretStdin?: true
  redirect?: string
}

/**
 * Connects an account by what is on stdin, or begins the consent of a person and prints where to go.
 * @throws Failure for staff, and without a secret or a redirect
 */
export async function connectChannel(type: string, command: Command): Promise<void> {
  const output = outputOf(command)
  const { server, username, secretStdin, redirect } = command.opts<ConnectOptions>()
  if (!secretStdin && redirect === undefined)
    throw wrongUsage(
      'Pass the password, key or token with --secret-stdin, or name where the browser goes in the end with --redirect.',
    )
  const client = await clientOf(command)
  const params = { platform: type as Platform }
  if (secretStdin) {
    const secret = await secretFromStdin('password, key or token')
    const body = {
      secret,
      ...(server !== undefined && { server }),
      ...(username !== undefined && { username }),
    }
    const found = await client.call('dashboard', 'PUT /integrations/:platform/credentials', { params, body })
    return output.data(
      found,
      () => `✔ ${found.name} is connected${found.accountName ? ` as ${found.accountName}` : ''}`,
    )
  }
  const body = { redirectUrl: redirect ?? '', ...(server !== undefined && { server }) }
  const begun = await client.call('dashboard', 'POST /channels/:platform/connect', { params, body })
  output.data(begun, () => begun.authUrl)
  output.info('Open this address in a browser within ten minutes.')
}

/** @throws Failure for staff: channels are those of the tenant that one is logged in for */
async function clientOf(command: Command): Promise<Client> {
  const { context, client } = await connectionOf(command, outputOf(command))
  if (context.tenant) return client
  throw new Failure(
    'Channels are for admins and members of a tenant: log in as one with `copydesk login URL --email you@example.com`.',
    { exitCode: exitCodes.forbidden },
  )
}
