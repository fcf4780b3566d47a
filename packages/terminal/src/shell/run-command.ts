import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import { withTenant } from '../account/own-tenant.ts'
import { operationNamed, refusal } from '../operations/catalogue.ts'
import { checkInput, shellLine } from '../operations/invocation.ts'
import type {
  AnyOperation,
  ContentHashes,
  Invocation,
  OperationBase,
  OperationContext,
} from '../operations/operation.ts'
import type { StyledLine } from '../render/row.ts'
import type { EditedInput } from './edit.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import type { CliOutput } from './output.ts'
import { canAsk, confirmed } from './prompts.ts'
import { connectionOf, onStderr, onStdout, outputOf, renderOptionsNow, stderrOptions } from './session.ts'

interface Options {
  yes?: true
  edit?: true
  fresh?: true
  watch?: number | true
}

/**
 * Runs an operation as a shell command: asks for confirmation where needed, prints the result.
 * @param machine the context of an operator on the machine; absent: that of the login at a server
 */
export async function runCommand(
  operation: AnyOperation,
  command: Command,
  machine?: Pick<Connection, 'context'>,
): Promise<void> {
  const output = outputOf(command)
  const { yes, edit, fresh, watch } = command.opts<Options>()
  const given = await givenTo(operation, command)
  const isTried = given['dryRun'] === true
  if (operation.effect === 'decides' && !isTried && !yes && !canAsk())
    throw wrongUsage(
      `${operation.name} is hard to undo and needs a confirmation, which is not possible without a terminal. Add --yes to confirm it.`,
    )
  if (Array.isArray(given['ids']) && given['ids'].length === 0) {
    output.data([], () => '')
    return output.info('There are no ids on stdin: nothing was done.')
  }
  if (!('tenant' in operation.params)) checkInput(operation, given)
  if (machine) return shownOrRun(operation, machine, checkInput(operation, given), watch, output)
  const connection = await connectionOf(command, output)
  requireRight(connection.context, operation)
  const meant = narrowed(operation, given, connection.tenantId)
  let input = checkInput(operation, await withTenant(operation, connection.context, meant))
  if (operation.name === 'ask') {
    const { askCommand } = await import('./ask-command.ts')
    return askCommand(connection, input, yes ?? false, output)
  }
  if (fresh && !edit) throw wrongUsage('--fresh is for --edit: it discards your draft.')
  if (edit) {
    const { editedInput } = await import('./edit.ts')
    const edited = await editedInput(connection, input, { fresh: fresh ?? false, yes }, output)
    if (!edited) return output.info('Nothing was done.')
    return sendEdited(operation, connection, edited, yes, output)
  }
  let seen: ContentHashes | undefined
  if (operation.effect === 'decides' && !isTried) {
    if (!yes) {
      input = await resolveInput(operation, connection, input)
      // Before the rows: what changes in between is then refused, and not decided unseen.
      seen = await operation.contentHashes?.(connection.context, input)
    }
    if (!(await agreed(operation, connection, input, yes))) return output.info('Nothing was done.')
  }
  if (seen) return performed(operation, connection, input, output, seen)
  await shownOrRun(operation, connection, input, watch, output)
}

/** @throws Failure with exit code 4 when the user may not run it */
export function requireRight(context: OperationContext, operation: OperationBase): void {
  const why = refusal(context, operation)
  if (why !== undefined) throw new Failure(why, { exitCode: exitCodes.forbidden })
}

/** Runs it once, or repeatedly with `--watch`. */
async function shownOrRun(
  operation: AnyOperation,
  at: Pick<Connection, 'context'>,
  input: Invocation['input'],
  watch: Options['watch'],
  output: CliOutput,
): Promise<void> {
  if (watch === undefined) return performed(operation, at, input, output)
  const { watchCommand } = await import('./watch.ts')
  await watchCommand(operation, at, input, watch === true ? undefined : watch, output)
}

/** Sends an edited text, which is kept as a draft until then. */
async function sendEdited(
  operation: AnyOperation,
  connection: Connection,
  { input, changes, sent }: EditedInput,
  yes: true | undefined,
  output: CliOutput,
): Promise<void> {
  const kept = () => output.info('Your draft is kept: the same command continues with it.')
  const isChanged = input['edited'] !== undefined
  if (!yes && isChanged) process.stderr.write(`${onStderr(changes(stderrOptions()))}\n\n`)
  if (!(await agreed(operation, connection, input, yes))) {
    output.info('Nothing was done.')
    return isChanged ? kept() : undefined
  }
  try {
    await performed(operation, connection, input, output)
  } catch (error) {
    if (isChanged) kept()
    throw error
  }
  await sent()
}

/** What the user confirms: the current matches, without those that arrive while the user reads. */
export async function resolveInput(
  operation: AnyOperation,
  { context }: Connection,
  input: Invocation['input'],
): Promise<Invocation['input']> {
  return (await operation.resolveInput?.(context, input)) ?? input
}

/** Shows what an operation would affect and asks for confirmation. @returns false when the user declines */
export async function agreed(
  operation: AnyOperation,
  { context }: Connection,
  input: Invocation['input'],
  yes: true | undefined,
): Promise<boolean> {
  if (yes) return true
  const rows = (await operation.preview?.(context, input)) ?? []
  if (rows.length > 0) process.stderr.write(`${onStderr(rows)}\n`)
  return confirmed(`${capital(operation.summary)}?`, yes)
}

/**
 * Runs an operation and prints its result.
 * @param seen the texts that the user confirmed
 * @throws Failure when some of several failed
 */
export async function performed(
  operation: AnyOperation,
  { context }: Pick<Connection, 'context'>,
  input: Invocation['input'],
  output: CliOutput,
  seen?: ContentHashes,
): Promise<void> {
  const result = await operation.run(context, input, seen)
  output.data(result, () => onStdout(withoutEnd(operation.print(result, renderOptionsNow()))))
  const missed = operation.failureCount?.(result) ?? 0
  if (missed > 0) throw new Failure(`${missed} failed.`)
  const back = operation.undo?.(input, result)
  const undo = back && operationNamed(back.name)
  if (back && undo && process.stderr.isTTY) output.info(`Undo it with: ${shellLine(undo, back.input)}`)
}

function withoutEnd(rows: readonly StyledLine[]): readonly StyledLine[] {
  return rows.at(-1)?.length === 0 ? rows.slice(0, -1) : rows
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
