import type { Command } from 'commander'
import { withTenant } from '../account/own-tenant.ts'
import { checkInput } from '../operations/invocation.ts'
import type { AnyFollowing, FollowOutput } from '../operations/operation.ts'
import { cleanLines, toJson } from '../render/clean.ts'
import type { Failure } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import { requireRight } from './run-command.ts'
import { connectionOf, interruption, onStdout, outputOf, renderOptionsNow } from './session.ts'

/**
 * Follows a stream until it ends or Ctrl-C: with `--json` one event a line with its id, from which `--after`
 * continues later.
 * @throws Failure when the first connection fails; later ones are retried
 */
export async function followCommand(followed: AnyFollowing, command: Command): Promise<void> {
  const output = outputOf(command)
  const given = await givenTo(followed, command)
  let refused: Failure | undefined
  let hasBegun = false
  let isAway = false
  const ended = new AbortController()
  const connection = await connectionOf(command, output, (failure) => {
    if (hasBegun) {
      if (!isAway) output.warn(`${failure.message} Trying again.`)
      isAway = true
      return
    }
    refused = failure
    ended.abort()
  })
  requireRight(connection.context, followed)
  const meant = narrowed(followed, given, connection.tenantId)
  const input = checkInput(followed, await withTenant(followed, connection.context, meant))
  const signal = AbortSignal.any([interruption(), ended.signal])
  // Without events a successful response shows that the server can be reached.
  await connection.context.client.call('cli', 'GET /me').catch((error: unknown) => {
    throw refused ?? error
  })
  hasBegun = true
  let inText = false
  for await (const event of followed.follow(connection.context, input, signal)) {
    isAway = false
    if (output.json) {
      process.stdout.write(`${toJson(output.picked(event, 'top'))}\n`)
      continue
    }
    const told: FollowOutput = followed.print(event, renderOptionsNow())
    if ('piece' in told) {
      process.stdout.write(cleanLines(told.piece).join('\n'))
      inText = true
      continue
    }
    if (told.lines.length === 0) continue
    process.stdout.write(`${inText ? '\n\n' : ''}${onStdout(told.lines)}\n`)
    inText = false
  }
}
