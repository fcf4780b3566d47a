import type { Command } from 'commander'
import { withTenant } from '../account/own-tenant.ts'
import { checkInput } from '../operations/line.ts'
import type { AnyFollowing, Told } from '../operations/operation.ts'
import { cleanLines } from '../paper/clean.ts'
import { toJson } from '../paper/json.ts'
import type { Failure } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import { requireRight } from './run-command.ts'
import { connectionOf, interruption, onStdout, paperNow, talkOf } from './session.ts'

/**
 * Follows something until it ends or Ctrl-C: with `--json` one event a line with its id, by which `--after` goes on later.
 * @throws Failure when the server cannot be reached at first; later it is waited for
 */
export async function followCommand(followed: AnyFollowing, command: Command): Promise<void> {
  const talk = talkOf(command)
  const given = await givenTo(followed, command)
  let refused: Failure | undefined
  let hasBegun = false
  let isAway = false
  const ended = new AbortController()
  const connection = await connectionOf(command, talk, (failure) => {
    if (hasBegun) {
      if (!isAway) talk.warn(`${failure.message} Trying again.`)
      isAway = true
      return
    }
    refused = failure
    ended.abort()
  })
  requireRight(connection.desk, followed)
  const meant = narrowed(followed, given, connection.tenantId)
  const input = checkInput(followed, await withTenant(followed, connection.desk, meant))
  const signal = AbortSignal.any([interruption(), ended.signal])
  // Nothing may have happened yet, so it is by an answer that one knows that the server is there.
  await connection.desk.client.call('cli', 'GET /me').catch((error: unknown) => {
    throw refused ?? error
  })
  hasBegun = true
  let inText = false
  for await (const event of followed.follow(connection.desk, input as never, signal)) {
    isAway = false
    if (talk.json) {
      process.stdout.write(`${toJson(talk.picked(event, 'top'))}\n`)
      continue
    }
    const told: Told = followed.print(event as never, paperNow())
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
