import { type Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import type { RenderOptions } from '../operations/operation.ts'
import { printed, type StyledLine } from '../render/row.ts'
import { type Failure, wrongUsage } from './failure.ts'
import { type CliOutput, createCliOutput, outputWidth } from './output.ts'

interface Shared {
  json?: boolean | string
  profile?: string
}

/** The connection and output of a command that uses a server. */
export function outputOf(command: Command): CliOutput {
  return createCliOutput(command.optsWithGlobals<Shared>().json ?? false)
}

/** The connection of a command, from its options and the environment. @throws Failure without a login */
export async function connectionOf(
  command: Command,
  output: CliOutput,
  onUnreachable?: (failure: Failure) => void,
): Promise<Connection> {
  const { connect } = await import('../account/connection.ts')
  return connect({
    profile: command.optsWithGlobals<Shared>().profile,
    env: process.env,
    warn: output.warn,
    ...(onUnreachable && { onUnreachable }),
  })
}

/** The current render options of stdout. */
export function renderOptionsNow(): RenderOptions {
  return { width: outputWidth(), now: Date.now(), colour: isColoured() }
}

/** Renders lines for stdout, in colours when it is a terminal. */
export function onStdout(rows: readonly StyledLine[]): string {
  return printed(rows, isColoured())
}

const isColoured = () => process.stdout.isTTY && process.stdout.hasColors()

/** Renders lines for stderr. */
export function onStderr(rows: readonly StyledLine[]): string {
  return printed(rows, stderrOptions().colour)
}

/** The current render options of stderr. */
export function stderrOptions() {
  return { width: outputWidth(process.stderr), colour: process.stderr.isTTY && process.stderr.hasColors() }
}

/** Aborts on Ctrl-C, or when the terminal or the reader of a pipe is closed. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort())
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}

/** Opens the terminal client. @throws Failure without a terminal or a login */
export async function openClient(command: Command): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw wrongUsage(
      'The terminal client needs a terminal. `copydesk --help` lists the commands for scripts.',
    )
  const connection = await connectionOf(command, outputOf(command))
  const { openTerminal } = await import('../screens/open.tsx')
  const { draftsOf } = await import('../account/drafts.ts')
  const { openHistory } = await import('../account/history.ts')
  const { client, context, tenantId } = connection
  const { audience, tenant } = context
  const narrowed = tenantId === undefined ? {} : { tenantId }
  await openTerminal({
    client,
    ...(audience && tenant && { own: { audience, tenant } }),
    place: connection.describe(),
    past: await openHistory(process.env),
    drafts: draftsOf(process.env, connection),
    ...narrowed,
  })
}
