import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Ctx } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { ModelError } from '../../../../platform/models/port.ts'
import { type OutputSink, readLines, readPlainText } from '../commands/lines.ts'
import { type CommandOptions, ownLines } from '../commands/options.ts'
import { resultOf } from '../commands/result.ts'
import { argumentsOf, fill, type Values } from '../commands/template.ts'
import { Draining } from '../lifecycle/abort.ts'
import { reportToolCall } from '../lifecycle/report.ts'
import { type DeliveredResult, deliver } from '../lifecycle/result.ts'
import type { Dispatch } from '../lifecycle/start.ts'
import type { Adapter } from './adapters.ts'
import { checkCommandLine } from './command-line-check.ts'
import { environmentOf, homeOf, valuesOf } from './command-line-environment.ts'

/** How long a program may take to end when the server stops, milliseconds. */
const drainGraceMs = 5_000
const defaultMaxBytes = 4 * 1024 * 1024

/**
 * A command-line agent: a child process in a folder of its own, whose standard output is the text. What is executed stands
 * in the configuration of the installation; a tenant only names it.
 */
export const commandLineAdapter: Adapter = {
  check: checkCommandLine,

  async start(ctx, dispatch, signal) {
    const { runId, tenantId, activityId, attempt, agent } = dispatch
    // The piece stands as it was approved, so no program is started for it.
    if (dispatch.settled) {
      await deliver(ctx, runId, { status: 'success', text: '', nothingToDo: true })
      return 'finished'
    }
    const { commands } = ctx.services
    const name = agent.adapterConfig.command
    const command = commands.get(name ?? '')
    const problem = commands.problemWith(name, tenantId)
    if (problem !== undefined || !command) throw new ModelError('invalid', problem ?? 'No such command')
    // The same path for all runs of an activity, one after the other: some agents keep their conversations by it.
    const cwd = await commands.folders.open(activityId)
    const work = { ctx, dispatch, command, cwd, home: await homeOf(ctx, name ?? '', tenantId), signal }
    const started = ctx.clock.now()
    let outcome: Outcome | undefined
    try {
      outcome = await perform(work, dispatch.sessionId)
      signal.throwIfAborted()
      // The conversation may be gone, or have been on another machine.
      if (isLostConversation(dispatch, outcome)) outcome = await perform(work, null)
      signal.throwIfAborted()
    } finally {
      // Before the result: the next run of the activity works in the same place.
      const failed = outcome?.delivery.status === 'error' && !(signal.reason instanceof Draining)
      await putAway(work, failed ? outcome : undefined, `${runId}.${attempt}`)
    }
    await handIn(ctx, dispatch, { ...outcome.delivery, durationMs: ctx.clock.now() - started })
    return 'finished'
  },
}

interface Work {
  ctx: Ctx
  dispatch: Dispatch
  command: CommandOptions
  cwd: string
  home: string
  signal: AbortSignal
}

interface Outcome {
  delivery: DeliveredResult
  /** Someone has heard something of it already. */
  told: boolean
  stderr: string
}

function isLostConversation({ sessionId }: Dispatch, { delivery, told }: Outcome): boolean {
  if (sessionId === null || told || delivery.status !== 'error') return false
  return delivery.family !== 'auth' && delivery.family !== 'quota'
}

/** Runs the command once. @throws ModelError when it cannot be started */
async function perform(work: Work, sessionId: string | null): Promise<Outcome> {
  const { ctx, dispatch, command, cwd, signal } = work
  const { runId, attempt, agent } = dispatch
  const values = valuesOf(ctx, dispatch, { cwd, home: work.home, sessionId: sessionId ?? '' })
  for (const { name, text } of command.files ?? [])
    await writeFile(join(cwd, name), fill(text, values), { mode: 0o600 })
  let told = false
  const calls: Array<Promise<unknown>> = []
  const sink: OutputSink = {
    delta(text) {
      told = true
      ctx.services.deltas.push(dispatch, text)
    },
    tool({ error, durationMs, ...call }) {
      told = true
      const status = error === undefined ? ('success' as const) : ('error' as const)
      const report = { ...call, method: 'call', durationMs, status, ...(error && { error }) }
      calls.push(
        reportToolCall(ctx, runId, report).catch((failure: unknown) =>
          ctx.log.warn('a tool call could not be kept', { runId, error: failure }),
        ),
      )
    },
  }
  const reader =
    command.output === 'json-lines' ? readLines(command.lines ?? ownLines, sink) : readPlainText(sink)
  const end = await ctx.services.commands.processes
    .run({
      name: `${runId}.${attempt}`,
      argv: argvOf(work, sessionId, values),
      cwd,
      env: await environmentOf(ctx, command, values, dispatch),
      stdin: fill(command.stdin ?? '{{prompt}}', values),
      maxBytes: command.maxOutputBytes ?? defaultMaxBytes,
      signal,
      graceMs: (reason) => (reason instanceof Draining ? drainGraceMs : agent.adapterConfig.graceSec * 1_000),
      output: reader.take,
    })
    .catch((error: NodeJS.ErrnoException) => {
      throw notStarted(command, error)
    })
  const delivery = resultOf(command, end, reader.end())
  // Where things lie on this machine is no one's business but the operator's, who has the log.
  if (delivery.status === 'error')
    delivery.error = delivery.error.replaceAll(work.home, '~').replaceAll(cwd, '.')
  await Promise.all(calls)
  if (delivery.status === 'error' && !signal.aborted)
    ctx.log.warn('a command-line agent has failed', {
      runId,
      exitCode: end.code,
      signal: end.signal,
      stderr: end.stderr,
    })
  return { delivery, told, stderr: end.stderr }
}

function argvOf({ ctx, command }: Work, sessionId: string | null, values: Values): string[] {
  const templates = sessionId !== null && command.resumeArgv ? command.resumeArgv : command.argv
  try {
    const [program = '', ...args] = argumentsOf(templates, values)
    return [ctx.services.commands.find(program, command.env?.['PATH']) ?? program, ...args]
  } catch (error) {
    throw new ModelError('invalid', (error as Error).message)
  }
}

function notStarted(command: CommandOptions, error: NodeJS.ErrnoException): unknown {
  const program = command.argv[0]
  if (error.code === 'ENOENT')
    return new ModelError('invalid', `The program ${program} is not on this server`)
  if (error.code === 'EACCES') return new ModelError('invalid', `The program ${program} may not be run here`)
  if (error.code === 'E2BIG') {
    return new ModelError(
      'invalid',
      'The prompt is too long for an argument: have the command read it from standard input or a file',
    )
  }
  return error.code === 'EAGAIN' || error.code === 'EMFILE'
    ? new ModelError(
        'transient',
        `The program ${program} could not be started: the machine has no room for it`,
      )
    : error
}

/** A command has the run's token and may have handed its result in by itself: then that one counts. */
async function handIn(ctx: Ctx, { runId }: Dispatch, delivery: DeliveredResult): Promise<void> {
  try {
    await deliver(ctx, runId, delivery)
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'CONFLICT')) throw error
    ctx.log.info('the run has its result already', { runId })
  }
}

/** Removes the working folder; what has failed is put aside for a while, with what the program said of it. */
async function putAway(work: Work, failed: Outcome | undefined, as: string): Promise<void> {
  const { ctx, dispatch, cwd } = work
  const { folders } = ctx.services.commands
  try {
    if (!failed) return await folders.remove(dispatch.activityId)
    await writeFile(join(cwd, 'stderr.log'), failed.stderr, { mode: 0o600 })
    const kept = await folders.keep(dispatch.activityId, as)
    ctx.log.info('the working folder of a run that failed is kept', { runId: dispatch.runId, folder: kept })
  } catch (error) {
    ctx.log.warn('a working folder could not be put away', { runId: dispatch.runId, error })
  }
}
