import type { Finding } from '@copydesk/core'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { examineMachine } from '../examine.ts'
import { examineProxy } from '../examine-proxy.ts'
import { exitCodes, explain } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import { prepare } from './options.ts'

/** `doctor [--repair]`. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('say what is wrong with this installation and how to mend it')
    .option('--repair', 'mend what can be mended safely')
    .addHelpText('after', example('copydesk doctor', 'copydesk doctor --repair'))
    .action(doctor)
}

async function doctor({ repair = false }: { repair?: boolean }, command: Command): Promise<void> {
  const loaded = prepare(command)
  const { config, talk, warnings } = loaded
  const findings: Finding[] = examineMachine(loaded, repair)
  for (const message of warnings) {
    findings.push({ name: 'environment', ok: false, message, remedy: 'Correct its name, or unset it.' })
  }
  try {
    const inside = await withApp(config, async (copydesk) => {
      if (repair && (await copydesk.migrations.status()).pending.length > 0) await copydesk.migrations.up()
      if (repair) await copydesk.setUp()
      return [...(await copydesk.doctor()), await examineProxy(copydesk.arrivalPath(), config)]
    })
    findings.push(...inside)
  } catch (error) {
    if (process.env['COPYDESK_DEBUG']) console.error(error)
    findings.push({ name: 'installation', ok: false, message: explain(error).message })
  }
  const wrong = findings.filter(({ ok }) => !ok)
  talk.data({ ok: wrong.length === 0, findings }, () => findings.map(showFinding).join('\n'))
  if (wrong.length > 0) process.exitCode = exitCodes.failed
}

/** A finding as a line, with what to do under it. */
export function showFinding({ name, ok, message, remedy }: Finding): string {
  return `${ok ? 'ok   ' : 'WRONG'}  ${name}: ${message}${!ok && remedy ? `\n       → ${remedy}` : ''}`
}
