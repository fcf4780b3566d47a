import type { Reply } from '@copydesk/client'
import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { canAsk, confirmed } from './prompts.ts'
import { connectionOf, onStderr, onStdout, outputOf } from './session.ts'
import { table } from './table.ts'

type Consent = Reply<'cli', 'GET /consents/:id'>

/** Pending consents of assistants in the caller's name. */
export async function listConsents(command: Command): Promise<void> {
  const output = outputOf(command)
  const { context } = await connectionOf(command, output)
  const { data } = await context.client.call('cli', 'GET /consents', { query: { limit: 100 } })
  output.data(data, () =>
    data.length === 0
      ? 'No assistant has asked for anything in the last ten minutes.'
      : table(
          ['ID', 'STATUS', 'ASSISTANT', 'COMMAND'],
          data.map(({ id, status, assistant, line }) => [id, status, assistant, line]),
          [3, 2],
        ),
  )
}

/** One consent, as it was shown to the assistant. */
export async function showConsent(id: string, command: Command): Promise<void> {
  const output = outputOf(command)
  const consent = await find(await connectionOf(command, output), id)
  output.data(consent, () => onStdout(rowsOf(consent)))
}

/**
 * Gives or declines a consent. Giving it needs a person: a login, and a terminal at which the operation is
 * shown first.
 * @throws Failure without either
 */
export async function answerConsent(id: string, agreed: boolean, command: Command): Promise<void> {
  const output = outputOf(command)
  if (agreed && !canAsk())
    throw wrongUsage(
      'A consent is given at a terminal, where the operation is shown first: there is none here.',
    )
  const connection = await connectionOf(command, output)
  const { credential } = await connection.context.client.call('cli', 'GET /me')
  if (credential === 'api_key')
    throw new Failure(
      `A consent needs a login with a password, and ${connection.describe()} is an API key. Log in with \`copydesk login ${connection.url} --email you@example.com --profile me\` in addition, then add --profile me.`,
      { exitCode: exitCodes.forbidden },
    )
  if (agreed) {
    const consent = await find(connection, id)
    process.stderr.write(`${onStderr(rowsOf(consent))}\n`)
    if (!(await confirmed('Give this consent?', undefined)))
      return output.info('You have not consented; nothing is done.')
  }
  const answered = await connection.context.client.call('cli', 'POST /consents/:id/answer', {
    params: { id },
    body: { agreed },
  })
  output.data(answered, () => `${answered.id} ${answered.status}`)
  output.done(
    agreed
      ? `${answered.assistant} can do this once, until ${answered.expiresAt}. Tell it to continue.`
      : `${answered.assistant} cannot do this.`,
  )
}

function find({ context }: Connection, id: string): Promise<Consent> {
  return context.client.call('cli', 'GET /consents/:id', { params: { id } })
}

function rowsOf({ assistant, line, touches, status, expiresAt }: Consent): StyledLine[] {
  return [
    row(span(assistant, 'strong'), ' wants to run this in your name:'),
    emptyRow,
    row(span(line, 'accent')),
    ...(touches === '' ? [] : touches.split('\n').map((each) => row(`  ${each}`))),
    emptyRow,
    row(span(`${status}, until ${expiresAt}`, 'dim')),
  ]
}
