import type { Command } from 'commander'
import { withTenant } from '../account/own-tenant.ts'
import { checkedInput, checkInput } from '../operations/invocation.ts'
import { kbUpload, type UploadOutcome, uploadedRow, uploadSummary } from '../operations/knowledge-upload.ts'
import { toJson } from '../render/clean.ts'
import { row, span } from '../render/row.ts'
import { Failure } from './failure.ts'
import { filesToUpload } from './files-to-upload.ts'
import { givenTo, narrowed } from './input.ts'
import { progressLine } from './progress-line.ts'
import { requireRight } from './run-command.ts'
import { connectionOf, interruption, onStdout, outputOf } from './session.ts'
import { uploadFile } from './upload-file.ts'

/**
 * Adds files to a dataset, one after the other, until Ctrl-C: a line for each, with `--json` an object, and a
 * summary at the end.
 * @throws Failure when a file failed or was not tried; when the server cannot be reached or refuses the user
 */
export async function uploadAll(command: Command): Promise<void> {
  const output = outputOf(command)
  const given = await givenTo(kbUpload, command)
  const connection = await connectionOf(command, output)
  const { context } = connection
  requireRight(context, kbUpload)
  const meant = narrowed(kbUpload, given, connection.tenantId)
  const input = checkedInput(kbUpload, checkInput(kbUpload, await withTenant(kbUpload, context, meant)))
  const paths = await filesToUpload(input.paths)
  const fields = {
    tenantId: input.tenant,
    datasetSlug: input.dataset ?? 'client-documents',
    parser: input.parser ?? 'builtin',
  }
  const signal = interruption()
  const line = progressLine(output)
  const done: UploadOutcome[] = []
  try {
    for (const [index, path] of paths.entries()) {
      const place = span(`${index + 1}/${paths.length} `, 'dim')
      const onStage = (stage: string) => line.show(row(place, span(`${stage}  `, 'accent'), path))
      const file = await uploadFile(context.client, path, fields, { signal, onStage })
      line.clear()
      if (!file) break
      done.push(file)
      const text = output.json ? toJson(output.picked(file)) : onStdout([uploadedRow(file)])
      process.stdout.write(`${text}\n`)
    }
  } finally {
    line.clear()
    output.info(uploadSummary(done, paths.length - done.length))
  }
  if (signal.aborted) throw new Failure('It was stopped. A file that was sent already is still ingested.')
  const failures = done.filter(({ status }) => status === 'failed').length
  if (failures > 0) throw new Failure(`${failures} failed.`)
}
