import type { Reply } from '@copydesk/client'
import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import { emptyRow, type Row, row, span } from '../paper/row.ts'
import { canAsk, confirmed } from './asking.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { connectionOf, onStderr, onStdout, talkOf } from './session.ts'
import { table } from './talk.ts'

type Consent = Reply<'cli', 'GET /consents/:id'>

/** What assistants want to do in the caller's name, and nobody has declined. */
export async function listConsents(command: Command): Promise<void> {
  const talk = talkOf(command)
  const { desk } = await connectionOf(command, talk)
  const { data } = await desk.client.call('cli', 'GET /consents', { query: { limit: 100 } })
  talk.data(data, () =>
    data.length === 0
      ? 'No assistant has asked for anything in the last ten minutes.'
      : table(
          ['ID', 'STATUS', 'ASSISTANT', 'COMMAND'],
          data.map(({ id, status, assistant, line }) => [id, status, assistant, line]),
          [3, 2],
        ),
  )
}

/** One of them, as it was shown to the assistant. */
export async function showConsent(id: string, command: Command): Promise<void> {
  const talk = talkOf(command)
  const consent = await find(await connectionOf(command, talk), id)
  talk.data(consent, () => onStdout(rowsOf(consent)))
}

/**
 * Agrees to an act, or declines it. Agreeing needs a person: a login, and a terminal at which the act is shown first.
 * @throws Failure where there is neither
 */
export async function answerConsent(id: string, agreed: boolean, command: Command): Promise<void> {
  const talk = talkOf(command)
  if (agreed && !canAsk())
    throw wrongUsage('A person agrees at a terminal, where the act is shown first: nobody can be asked here.')
  const connection = await connectionOf(command, talk)
  const { credential } = await connection.desk.client.call('cli', 'GET /me')
  if (credential === 'api_key')
    throw new Failure(
      `A person agrees with a login of their own, and ${connection.describe()} is an API key. Log in beside it with \`copydesk login ${connection.url} --email you@example.com --profile me\`, then add --profile me.`,
      { exitCode: exitCodes.forbidden },
    )
  if (agreed) {
    const consent = await find(connection, id)
    process.stderr.write(`${onStderr(rowsOf(consent))}\n`)
    if (!(await confirmed('Agree to this?', undefined)))
      return talk.info('You have not agreed; nothing is done.')
  }
  const answered = await connection.desk.client.call('cli', 'POST /consents/:id/answer', {
    params: { id },
    body: { agreed },
  })
  talk.data(answered, () => `${answered.id} ${answered.status}`)
  talk.done(
    agreed
      ? `${answered.assistant} can do this once, until ${answered.expiresAt}. Tell it to go on.`
      : `${answered.assistant} cannot do this.`,
  )
}

function find({ desk }: Connection, id: string): Promise<Consent> {
  return desk.client.call('cli', 'GET /consents/:id', { params: { id } })
}

function rowsOf({ assistant, line, touches, status, expiresAt }: Consent): Row[] {
  return [
    row(span(assistant, 'strong'), ' wants to do this in your name:'),
    emptyRow,
    row(span(line, 'accent')),
    ...(touches === '' ? [] : touches.split('\n').map((each) => row(`  ${each}`))),
    emptyRow,
    row(span(`${status}, until ${expiresAt}`, 'dim')),
  ]
}
