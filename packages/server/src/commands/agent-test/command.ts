import { exitCodes, wrongUsage } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import type { Command } from 'commander'
import { showFinding } from '../doctor.ts'
import { outputOf, wholeNumber } from '../options.ts'

interface Options {
  url: string
  header?: string
  secretEnv?: string
  port: number
  wait: number
}

/** `agent test`: dispatches runs to a runtime as Copydesk does and reports protocol errors. */
export function agentTestCommand(group: Command): void {
  group
    .command('test')
    .description(
      'dispatch runs to an agent runtime as Copydesk does, on a temporary installation, and report how it behaves',
    )
    .argument('<role>', 'role of the agent, for example blog_writer')
    .requiredOption('--url <url>', 'address at which the runtime accepts dispatches')
    .option('--header <name>', 'name of the header with the secret', 'x-runtime-key')
    .option('--secret-env <variable>', 'environment variable that holds the secret')
    .option('--port <port>', 'port on 127.0.0.1 to which the runtime reports', wholeNumber(1, 65_535), 8421)
    .option('--wait <seconds>', 'maximum duration of a run', wholeNumber(5, 3_600), 120)
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
  const output = outputOf(command)
  const { url, secretEnv, header = '', port, wait } = options
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw wrongUsage('--url takes the http or https address at which the runtime accepts dispatches.')
  const value = secretEnv === undefined ? undefined : process.env[secretEnv]
  if (secretEnv !== undefined && !value)
    throw wrongUsage(
      `The environment variable ${secretEnv} is empty or not set. Set it, or omit --secret-env.`,
    )
  const { openProbeSession } = await import('./probe-session.ts')
  const { tryOut } = await import('./trials.ts')
  const session = await openProbeSession({ role, url, port, ...(value && { secret: { header, value } }) })
  try {
    output.info(
      `Copydesk listens at ${session.url}, where the runtime has to report. This takes about half a minute.`,
    )
    const steps = await tryOut(session, wait * 1_000)
    const ok = steps.every((step) => step.ok)
    output.data({ ok, role, url, steps }, () => steps.map(showFinding).join('\n'))
    if (!ok) process.exitCode = exitCodes.failed
  } finally {
    await session.close()
  }
}
