import type { Finding } from '@copydesk/core'
import { exitCodes, explain } from '@copydesk/terminal/failure'
import { example } from '@copydesk/terminal/help'
import type { Command } from 'commander'
import { withApp } from '../app.ts'
import { examineMachine } from '../examine.ts'
import { examineProxy } from '../examine-proxy.ts'
import { prepare } from './options.ts'

/** `doctor [--repair]`. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('diagnose this installation and say how to fix it')
    .option('--repair', 'fix what can be fixed safely')
    .addHelpText('after', example('copydesk doctor', 'copydesk doctor --repair'))
    .action(doctor)
}

async function doctor({ repair = false }: { repair?: boolean }, command: Command): Promise<void> {
  const loaded = prepare(command)
  const { config, output, warnings } = loaded
  const findings: Finding[] = examineMachine(loaded, repair)
  for (const message of warnings) {
    findings.push({ name: 'environment', ok: false, message, remedy: 'Correct its name, or unset it.' })
  }
  try {
    const inside = await withApp(config, async (copydesk) => {
      if (repair && (await copydesk.migrations.status()).pending.length > 0) await copydesk.migrations.up()
      if (repair) await copydesk.setUp()
      return [...(await copydesk.doctor()), await examineProxy(await copydesk.arrivalPath(), config)]
    })
    findings.push(...inside)
  } catch (error) {
    if (process.env['COPYDESK_DEBUG']) console.error(error)
    findings.push({ name: 'installation', ok: false, message: explain(error).message })
  }
  const wrong = findings.filter(({ ok }) => !ok)
  output.data({ ok: wrong.length === 0, findings }, () => findings.map(showFinding).join('\n'))
  if (wrong.length > 0) process.exitCode = exitCodes.failed
}

/** A finding as a line, with the remedy below it. */
export function showFinding({ name, ok, message, remedy }: Finding): string {
  return `${ok ? 'ok   ' : 'WRONG'}  ${name}: ${message}${!ok && remedy ? `\n       → ${remedy}` : ''}`
}
