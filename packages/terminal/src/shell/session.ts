import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import type { Paper } from '../operations/operation.ts'
import type { Row } from '../paper/row.ts'
import { printed } from '../paper/row.ts'
import type { Failure } from './failure.ts'
import { createTalk, paperWidth, type Talk } from './talk.ts'

interface Shared {
  json?: boolean | string
  profile?: string
}

/** How a command that works on a server talks. */
export function talkOf(command: Command): Talk {
  return createTalk(command.optsWithGlobals<Shared>().json ?? false)
}

/** The server that a command works on, by its options and the environment. @throws Failure where nobody has logged in */
export async function connectionOf(
  command: Command,
  talk: Talk,
  onUnreachable?: (failure: Failure) => void,
): Promise<Connection> {
  const { connect } = await import('../account/connection.ts')
  return connect({
    profile: command.optsWithGlobals<Shared>().profile,
    env: process.env,
    warn: talk.warn,
    ...(onUnreachable && { onUnreachable }),
  })
}

/** The paper that stdout is, now. */
export function paperNow(): Paper {
  return { width: paperWidth(), now: Date.now(), colour: isColoured() }
}

/** Lines as they are written to stdout, in colours where somebody sees them. */
export function onStdout(rows: readonly Row[]): string {
  return printed(rows, isColoured())
}

const isColoured = () => process.stdout.isTTY && process.stdout.hasColors()

/** Lines as they are written to stderr. */
export function onStderr(rows: readonly Row[]): string {
  return printed(rows, stderrPaper().colour)
}

/** The paper that stderr is, now. */
export function stderrPaper() {
  return { width: paperWidth(process.stderr), colour: process.stderr.isTTY && process.stderr.hasColors() }
}

/** Aborts when the person wants to end it: Ctrl-C, or the terminal or the reader of a pipe goes away. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort())
  process.stdout.once('error', () => controller.abort())
  return controller.signal
}
