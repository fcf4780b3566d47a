import type { Command } from 'commander'
import { exitCodes, wrongUsage } from '@copydesk/terminal/failure'
import { showFinding } from '../doctor.ts'
import { example } from '@copydesk/terminal/help'
import { talkOf, wholeNumber } from '../options.ts'

interface Options {
  url: string
  header?: string
  secretEnv?: string
  port: number
  wait: number
}

/** `agent test`: plays Copydesk against a runtime and says what it does wrong. */
export function agentTestCommand(group: Command): void {
  group
    .command('test')
    .description(
      'give work to an agent runtime as Copydesk does, on a temporary installation, and report how it behaves',
    )
    .argument('<role>', 'the role that it is to work as, for example blog_writer')
    .requiredOption('--url <url>', 'where the runtime takes work')
    .option('--header <name>', 'header of the secret', 'x-runtime-key')
    .option('--secret-env <variable>', 'environment variable that holds the secret')
    .option('--port <port>', 'where the runtime is to report, on 127.0.0.1', wholeNumber(1, 65_535), 8421)
    .option('--wait <seconds>', 'how long a piece of work may take', wholeNumber(5, 3_600), 120)
    .addHelpText(
      'after',
      example(
        'COPYDESK_URL=http://127.0.0.1:8421 SECRET=s node examples/agent-runtime/runtime.ts &',
        'SECRET=s copydesk agent test social_writer --url http://127.0.0.1:8430/ --secret-env SECRET',
      ),
    )
    .action(test)
}

async function test(role: string, options: Options, command: Command): Promise<void> {
  const talk = talkOf(command)
  const { url, secretEnv, header = '', port, wait } = options
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw wrongUsage('--url takes the http or https address at which the runtime takes work.')
  const value = secretEnv === undefined ? undefined : process.env[secretEnv]
  if (secretEnv !== undefined && !value)
    throw wrongUsage(
      `The environment variable ${secretEnv} holds no secret. Set it, or leave --secret-env out.`,
    )
  const { openDesk } = await import('./desk.ts')
  const { tryOut } = await import('./trials.ts')
  const desk = await openDesk({ role, url, port, ...(value && { secret: { header, value } }) })
  try {
    talk.info(
      `Copydesk plays at ${desk.url}, where the runtime has to report. This takes about half a minute.`,
    )
    const steps = await tryOut(desk, wait * 1_000)
    const ok = steps.every((step) => step.ok)
    talk.data({ ok, role, url, steps }, () => steps.map(showFinding).join('\n'))
    if (!ok) process.exitCode = exitCodes.failed
  } finally {
    await desk.close()
  }
}
