import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { confirmed } from '@copydesk/terminal/prompts'
import { table } from '@copydesk/terminal/table'
import { type Command, Option } from 'commander'
import { withApp } from '../app.ts'
import { everything } from './find.ts'
import { prepare } from './options.ts'

const reasons = ['hard_bounce', 'soft_bounces', 'complaint'] as const

/** The largest e-mail that is read, bytes: a mail with its attachments and what is said of it. */
const mostBytes = 32 * 1024 * 1024

/** `mail receive` and `mail suppressed list|remove`. */
export function incomingCommands(group: Command): void {
  group
    .command('receive')
    .description(
      'take an answer, or a report that an e-mail could not be delivered, from standard input, as mail servers pipe it',
    )
    .addHelpText('after', example('copydesk mail receive < message.eml'))
    .action(receive)
  const suppressed = group
    .command('suppressed')
    .description('addresses that no e-mail goes to, since e-mails came back')
    .addHelpText('after', example('copydesk mail suppressed list'))
  suppressed
    .command('list')
    .description('list the addresses, the newest first')
    .addOption(new Option('--reason <reason>', 'only those that are off for this').choices(reasons))
    .addHelpText('after', example('copydesk mail suppressed list --reason complaint --json'))
    .action(list)
  suppressed
    .command('remove')
    .description('send e-mails to an address again')
    .argument('<address>', 'e-mail address')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', example('copydesk mail suppressed remove ada@example.com'))
    .action(remove)
}

const outcomes = {
  other: 'This is neither an answer nor a report of an e-mail that came back; nothing was done.',
  answered: 'The sequence ends for the person who has answered.',
  unknown: 'The e-mail that it is about is not known here; nothing was done.',
  noted: 'It was noted.',
  suppressed: 'No more e-mails go to the address.',
}

/** Succeeds also for what is neither, so that a mail server does not try it again. */
async function receive(_options: object, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (process.stdin.isTTY)
    throw wrongUsage('Pipe an e-mail into this command: copydesk mail receive < message.eml')
  const raw = await readMail()
  const result = await withApp(config, (copydesk) => copydesk.asSystem().mail.receive(raw))
  output.data(result, () => outcomes[result.outcome])
}

async function readMail(): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > mostBytes) throw new Failure(`The e-mail is larger than ${mostBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function list({ reason }: { reason?: (typeof reasons)[number] }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  const found = await withApp(config, (copydesk) =>
    everything((page) => copydesk.asSystem().mail.suppressed({ ...page, ...(reason && { reason }) })),
  )
  output.data(found, () =>
    table(
      ['ADDRESS', 'REASON', 'SINCE', 'WHAT WAS SAID'],
      found.map((one) => [one.address, one.reason, one.createdOn.toISOString().slice(0, 10), one.detail]),
      [3],
    ),
  )
}

async function remove(address: string, { yes }: { yes?: true }, command: Command): Promise<void> {
  const { config, output } = prepare(command)
  if (!(await confirmed(`E-mails go to ${address} again.`, yes))) return
  const lifted = await withApp(config, (copydesk) => copydesk.asSystem().mail.lift(address))
  output.data(lifted, () => `E-mails go to ${lifted.address} again.`)
}
