import { createWriteStream, openAsBlob } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client } from '@copydesk/client'
import type { Command } from 'commander'
import type { Connection } from '../account/connection.ts'
import { checkedInput, checkInput } from '../operations/invocation.ts'
import {
  type ImportState,
  importedRows,
  importRow,
  leadExport,
  leadImport,
  leadUndo,
  previewRows,
  undoneRows,
} from '../operations/lead-files.ts'
import { filterQuery } from '../operations/leads.ts'
import type { Input, OperationBase, Parameters } from '../operations/operation.ts'
import { escapeUnseen } from '../render/clean.ts'
import type { StyledLine } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { exitCodes, explain, Failure, wrongUsage } from './failure.ts'
import { givenTo } from './input.ts'
import type { CliOutput } from './output.ts'
import { progressLine } from './progress-line.ts'
import { canAsk, confirmed } from './prompts.ts'
import { requireRight } from './run-command.ts'
import { connectionOf, interruption, onStderr, onStdout, outputOf } from './session.ts'

/** Limit of the server, bytes. */
const maxBytes = 10 * 1024 * 1024
const lookMs = 500

/**
 * Imports a file: shows what would be made of it, asks, and waits for the end.
 * @throws Failure for a file that cannot be sent; when the import fails, or Ctrl-C ends the waiting
 */
export async function importCommand(command: Command): Promise<void> {
  const { input, connection, output } = await opened(leadImport, command)
  const { file, errors, dryRun, yes } = input
  if (!yes && !dryRun && !canAsk())
    throw wrongUsage('An import asks for confirmation, which is not possible without a terminal. Add --yes.')
  await requireFile(file)
  const { client } = connection.context
  const preview = await client.call('dashboard', 'POST /leads/import/preview', {
    body: await formOf(file, {}),
  })
  if (dryRun) return output.data(preview, () => onStdout(previewRows(preview).slice(0, -1)))
  if (!output.json) process.stderr.write(`${onStderr(previewRows(preview))}\n`)
  if (!(await confirmed(`Import ${counted(preview.total - preview.invalid, 'lead')}?`, yes)))
    return output.info('Nothing was done.')
  const { importId } = await client.call('dashboard', 'POST /leads/import', {
    body: await formOf(file, input),
  })
  const state = await untilDone(client, importId, output, {
    isDone: ({ status }) => status !== 'processing',
    row: importRow,
  })
  if (errors !== undefined && state.skipped > 0)
    await download(connection, `/dashboard/v1/leads/imports/${importId}/errors`, errors)
  output.data(state, () => onStdout(importedRows(state)))
  if (state.status === 'failed') throw new Failure(state.reason ?? 'The import has failed.')
  if (!output.json && process.stderr.isTTY) output.info(`Undo it with: copydesk lead undo ${importId}`)
}

/** Takes an import back, and waits for the end. @throws Failure when Ctrl-C ends the waiting */
export async function undoCommand(command: Command): Promise<void> {
  const { input, connection, output } = await opened(leadUndo, command)
  const { client } = connection.context
  const params = { importId: input.importId }
  const { imported, source } = await client.call('dashboard', 'GET /leads/imports/:importId', { params })
  if (!(await confirmed(`Remove ${counted(imported, 'lead')} of the import ${source}?`, input.yes)))
    return output.info('Nothing was done.')
  await client.call('dashboard', 'POST /leads/imports/:importId/undo', { params })
  const state = await untilDone(client, input.importId, output, {
    isDone: ({ undo }) => undo?.status === 'completed',
    row: (found) => undoneRows(found)[0] ?? [],
  })
  output.data(state, () => onStdout(undoneRows(state)))
}

/** Writes leads to a file or to stdout. @throws Failure when the connection breaks off: a file is removed then */
export async function exportCommand(command: Command): Promise<void> {
  const { input, connection, output } = await opened(leadExport, command)
  const query = new URLSearchParams(filterQuery(input))
  await download(connection, `/dashboard/v1/leads/export?${query}`, input.out)
  if (input.out !== undefined) output.done(`The leads are in ${input.out}.`)
}

async function opened<const T extends Parameters>(
  operation: OperationBase<T>,
  command: Command,
): Promise<{ input: Input<T>; connection: Connection; output: CliOutput }> {
  const output = outputOf(command)
  const input = checkedInput(operation, checkInput(operation, await givenTo(operation, command)))
  const connection = await connectionOf(command, output)
  requireRight(connection.context, operation)
  return { input, connection, output }
}

async function formOf(
  file: string,
  { source, duplicates }: { source?: string | undefined; duplicates?: string | undefined },
): Promise<FormData> {
  const form = new FormData()
  if (source !== undefined) form.append('source', source)
  if (duplicates !== undefined) form.append('duplicates', duplicates)
  form.append('file', await openAsBlob(file), basename(file))
  return form
}

/** @throws Failure for one that is not there, is no file, or is too large */
async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!found?.isFile()) throw wrongUsage(`There is no file ${path}.`)
  if (found.size > maxBytes)
    throw wrongUsage(`${path} is larger than ${maxBytes / 2 ** 20} MB: import it in parts.`)
}

/** @throws Failure after Ctrl-C; errors that another try cannot fix */
async function untilDone(
  client: Client,
  importId: string,
  output: CliOutput,
  { isDone, row }: { isDone(state: ImportState): boolean; row(state: ImportState): StyledLine },
): Promise<ImportState> {
  const signal = interruption()
  const line = progressLine(output)
  let isAway = false
  try {
    while (!signal.aborted) {
      try {
        const input = { params: { importId }, signal }
        const state = await client.call('dashboard', 'GET /leads/imports/:importId', input)
        if (isDone(state)) return state
        isAway = false
        line.show(row(state))
      } catch (error) {
        if (signal.aborted) break
        if (isFinal(error)) throw error
        line.clear()
        if (!isAway) output.warn(`${explain(error).message} Trying again.`)
        isAway = true
      }
      await pause(lookMs, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    line.clear()
  }
  throw new Failure(
    `It is waited for no longer, but goes on at the server: \`copydesk api GET /leads/imports/${importId}\` shows how far it is.`,
  )
}

function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429
  return explain(error).exitCode !== exitCodes.failed
}

async function download({ request }: Connection, path: string, file: string | undefined): Promise<void> {
  const response = await request(path, { headers: { accept: 'text/csv' } })
  if (!response.ok || !response.body) throw await ApiError.from(response)
  const body = Readable.fromWeb(response.body as never)
  if (file === undefined) return toStdout(body)
  try {
    await pipeline(body, createWriteStream(file))
  } catch (error) {
    // Half of a file looks like a whole one.
    await rm(file, { force: true })
    throw error
  }
}

async function toStdout(body: Readable): Promise<void> {
  if (!process.stdout.isTTY) return pipeline(body, process.stdout, { end: false })
  body.setEncoding('utf8')
  for await (const text of body) process.stdout.write(escapeUnseen(String(text)))
}
