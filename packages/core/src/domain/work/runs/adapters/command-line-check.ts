import type { Ctx } from '../../../../kernel/context.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import type { ProcessEnd } from '../../../../platform/processes/processes.ts'
import { redactText } from '../../../../platform/redact.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { CommandOptions } from '../commands/options.ts'
import { commandPlaceholders, fill, type Values } from '../commands/template.ts'
import type { AdapterCheck } from './adapters.ts'
import { homeOf, placeholderValues } from './command-line-environment.ts'

/** How long a program may take to show its version or its state, milliseconds. */
const checkMs = 20_000

/** Looks whether a command can be run on this server: there, allowed, with its variables, and fit to work. */
export async function checkCommandLine(ctx: Ctx, agent: EffectiveAgent): Promise<AdapterCheck[]> {
  const { commands } = ctx.services
  const name = agent.adapterConfig.command
  const tenantId = oneTenant(ctx)
  const command = commands.get(name ?? '')
  const problem = commands.problemWith(name, tenantId)
  if (problem !== undefined || !command) {
    const detail = `${problem}. Set adapterConfig.command to one that the operator has configured under “commands”`
    return [{ name: 'command', ok: false, detail }]
  }
  const checks: AdapterCheck[] = [{ name: 'command', ok: true, detail: name ?? '' }]
  const { argv, resumeArgv, passEnv = [] } = command
  const programs = new Set([argv, resumeArgv, command.check].flatMap((list) => list?.[0] ?? []))
  for (const program of programs) checks.push(programCheck(ctx, command, program))
  const missing = passEnv.filter((variable) => !(variable in commands.inherited(command)))
  if (passEnv.length > 0) {
    const detail =
      missing.length > 0
        ? `${missing.join(', ')} is not set where the server runs: the command would not get it`
        : passEnv.join(', ')
    checks.push({ name: 'environment', ok: missing.length === 0, detail })
  }
  if (checks.some(({ ok }) => !ok)) return checks
  const place = `check-${ctx.newId()}`
  try {
    const cwd = await commands.folders.open(place)
    const home = await homeOf(ctx, name ?? '', tenantId)
    checks.push({ name: 'folders', ok: true, detail: 'can be written' })
    const [program = ''] = argv
    const { version = ['--version'] } = command
    const tryOut = (argv: readonly string[]) => run(ctx, command, { argv, cwd, home, place })
    if (version.length > 0) checks.push(await outcome('version', tryOut([program, ...version])))
    if (command.check) checks.push(await outcome('state', tryOut(command.check)))
  } catch (error) {
    checks.push({ name: 'folders', ok: false, detail: (error as Error).message })
  } finally {
    await commands.folders.remove(place)
  }
  return checks
}

function programCheck(ctx: Ctx, command: CommandOptions, program: string): AdapterCheck {
  const file = ctx.services.commands.find(program, command.env?.['PATH'])
  const where = program.startsWith('/') ? 'there' : 'in the PATH of the server'
  return {
    name: `program ${program}`,
    ok: file !== undefined,
    detail: file ?? `No such program ${where}: install it, or name it with its whole path`,
  }
}

interface Trial {
  argv: readonly string[]
  cwd: string
  home: string
  place: string
}

async function run(ctx: Ctx, command: CommandOptions, trial: Trial): Promise<Trialled> {
  const { cwd, home, place } = trial
  const { commands, settings } = ctx.services
  const nothing = Object.fromEntries(commandPlaceholders.map((name) => [name, ''])) as Values
  const values = { ...nothing, cwd, home, baseUrl: settings.baseUrl }
  const [program = '', ...args] = trial.argv.map((template) => fill(template, values))
  const own = Object.entries(command.env ?? {}).map(([name, text]) => [name, fill(text, values)])
  const abort = new AbortController()
  const cancel = ctx.clock.after(checkMs, () => abort.abort())
  let output = ''
  try {
    const end = await commands.processes.run({
      name: place,
      argv: [commands.find(program, command.env?.['PATH']) ?? program, ...args],
      cwd,
      env: {
        ...placeholderValues(ctx, command, values),
        ...(Object.fromEntries(own) as Record<string, string>),
      },
      stdin: '',
      maxBytes: 1_000_000,
      signal: abort.signal,
      graceMs: () => 0,
      output: (text) => void (output += text),
    })
    return { ...end, output, late: abort.signal.aborted }
  } finally {
    cancel()
  }
}

type Trialled = ProcessEnd & { output: string; late: boolean }

async function outcome(name: string, trial: Promise<Trialled>): Promise<AdapterCheck> {
  try {
    const { code, signal, output, stderr, late } = await trial
    const words = redactText((code === 0 ? output || stderr : stderr || output).trim()).slice(0, 300)
    if (code === 0) return { name, ok: true, detail: words.split('\n')[0] ?? '' }
    const how = late ? `took longer than ${checkMs / 1_000} seconds` : `ended with ${signal ?? code}`
    return { name, ok: false, detail: words === '' ? how : `${how}: ${words}` }
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message }
  }
}
