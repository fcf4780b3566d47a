import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import { withTenant } from '../account/own-tenant.ts'
import { operationNamed } from '../operations/catalogue.ts'
import { checkInput, shellLine } from '../operations/line.ts'
import type { AnyOperation, Desk, Line, Named } from '../operations/operation.ts'
import { refusal } from '../operations/rights.ts'
import type { Row } from '../paper/row.ts'
import { canAsk, confirmed } from './asking.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import { connectionOf, onStderr, onStdout, paperNow, stderrPaper, talkOf } from './session.ts'
import type { EditedInput } from './edit.ts'
import type { Talk } from './talk.ts'

interface Options {
  yes?: true
  edit?: true
  fresh?: true
  watch?: number | true
}

/**
 * Runs an operation as a command of the shell: asks where it decides, prints what came of it.
 * @param machine the desk of an operator on the machine; absent: the one at the server that one is logged in at
 */
export async function runCommand(
  operation: AnyOperation,
  command: Command,
  machine?: Pick<Connection, 'desk'>,
): Promise<void> {
  const talk = talkOf(command)
  const { yes, edit, fresh, watch } = command.opts<Options>()
  const given = await givenTo(operation, command)
  const isTried = given['dryRun'] === true
  if (operation.does === 'decides' && !isTried && !yes && !canAsk())
    throw wrongUsage(
      `${operation.name} is hard to take back, and nobody can be asked here. Add --yes to say so.`,
    )
  if (Array.isArray(given['ids']) && given['ids'].length === 0) {
    talk.data([], () => '')
    return talk.info('There are no ids on stdin: nothing was done.')
  }
  if (!('tenant' in operation.takes)) checkInput(operation, given)
  if (machine) return shownOrRun(operation, machine, checkInput(operation, given), watch, talk)
  const connection = await connectionOf(command, talk)
  requireRight(connection.desk, operation)
  const meant = narrowed(operation, given, connection.tenantId)
  let input = checkInput(operation, await withTenant(operation, connection.desk, meant))
  if (operation.name === 'ask') {
    const { askCommand } = await import('./ask-command.ts')
    return askCommand(connection, input, yes ?? false, talk)
  }
  if (fresh && !edit) throw wrongUsage('--fresh is for --edit: it discards your draft.')
  if (edit) {
    const { editedInput } = await import('./edit.ts')
    const edited = await editedInput(connection, input, { fresh: fresh ?? false, yes }, talk)
    if (!edited) return talk.info('Nothing was done.')
    return sendEdited(operation, connection, edited, yes, talk)
  }
  if (operation.does === 'decides' && !isTried) {
    if (!yes) input = await settled(operation, connection, input)
    if (!(await agreed(operation, connection, input, yes))) return talk.info('Nothing was done.')
  }
  await shownOrRun(operation, connection, input, watch, talk)
}

/** @throws Failure with exit code 4 where whoever is logged in may not run it */
export function requireRight(desk: Desk, operation: Named): void {
  const why = refusal(desk, operation)
  if (why !== undefined) throw new Failure(why, { exitCode: exitCodes.forbidden })
}

/** Shows it again and again where that is wanted, else runs it once. */
async function shownOrRun(
  operation: AnyOperation,
  at: Pick<Connection, 'desk'>,
  input: Line['input'],
  watch: Options['watch'],
  talk: Talk,
): Promise<void> {
  if (watch === undefined) return performed(operation, at, input, talk)
  const { watchCommand } = await import('./watch.ts')
  await watchCommand(operation, at, input, watch === true ? undefined : watch, talk)
}

/** Sends a text that was edited; until it has been sent it is kept. */
async function sendEdited(
  operation: AnyOperation,
  connection: Connection,
  { input, changes, sent }: EditedInput,
  yes: true | undefined,
  talk: Talk,
): Promise<void> {
  const kept = () => talk.info('What you wrote is kept: the same command goes on with it.')
  const isChanged = input['edited'] !== undefined
  if (!yes && isChanged) process.stderr.write(`${onStderr(changes(stderrPaper()))}\n\n`)
  if (!(await agreed(operation, connection, input, yes))) {
    talk.info('Nothing was done.')
    return isChanged ? kept() : undefined
  }
  try {
    await performed(operation, connection, input, talk)
  } catch (error) {
    if (isChanged) kept()
    throw error
  }
  await sent()
}

/** What is asked about: what matches now, and nothing that comes while somebody reads. */
export async function settled(
  operation: AnyOperation,
  { desk }: Connection,
  input: Line['input'],
): Promise<Line['input']> {
  return (await operation.settled?.(desk, input as never)) ?? input
}

/** Shows what an operation would touch and asks. @returns false when the person says no */
export async function agreed(
  operation: AnyOperation,
  { desk }: Connection,
  input: Line['input'],
  yes: true | undefined,
): Promise<boolean> {
  if (yes) return true
  const rows = (await operation.preview?.(desk, input as never)) ?? []
  if (rows.length > 0) process.stderr.write(`${onStderr(rows)}\n`)
  return confirmed(`${capital(operation.summary)}?`, yes)
}

/**
 * Runs an operation and prints what came of it.
 * @throws Failure when some of several could not be done
 */
export async function performed(
  operation: AnyOperation,
  { desk }: Pick<Connection, 'desk'>,
  input: Line['input'],
  talk: Talk,
): Promise<void> {
  const result = await operation.run(desk, input as never)
  talk.data(result, () => onStdout(withoutEnd(operation.print(result as never, paperNow()))))
  const missed = operation.missed?.(result as never) ?? 0
  if (missed > 0) throw new Failure(`${missed} could not be done.`)
  const back = operation.undo?.(input as never, result as never)
  const undo = back && operationNamed(back.name)
  if (back && undo && process.stderr.isTTY) talk.info(`Take it back with: ${shellLine(undo, back.input)}`)
}

function withoutEnd(rows: readonly Row[]): readonly Row[] {
  return rows.at(-1)?.length === 0 ? rows.slice(0, -1) : rows
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
