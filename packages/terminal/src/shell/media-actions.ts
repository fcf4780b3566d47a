import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { ApiError, type Client, type Reply } from '@copydesk/client'
import type { Command } from 'commander'
import { clean, toJson } from '../render/clean.ts'
import { row, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { exitCodes, Failure } from './failure.ts'
import { filesToUpload } from './files-to-upload.ts'
import { progressLine } from './progress-line.ts'
import { connectionOf, interruption, onStdout, outputOf } from './session.ts'
import { table } from './table.ts'

type Asset = Reply<'media', 'GET /assets/:assetId'>

interface ListOptions {
  search?: string
  kind?: Asset['kind']
  tag?: string
  limit?: string
}

/** What became of a file. */
interface Outcome {
  path: string
  status: 'added' | 'failed'
  id: string | null
  error: string | null
}

/** The assets of the tenant. */
export async function listAssets(command: Command): Promise<void> {
  const output = outputOf(command)
  const client = await clientOf(command)
  const { search, kind, tag, limit } = command.opts<ListOptions>()
  const query = {
    ...(search !== undefined && { search }),
    ...(kind !== undefined && { 'filter.kind': kind }),
    ...(tag !== undefined && { 'filter.tag': tag }),
    ...(limit !== undefined && { limit: Number(limit) }),
  }
  const { data, pagination } = await client.call('media', 'GET /assets', { query })
  output.data(data, () =>
    data.length === 0
      ? 'No assets.'
      : table(
          ['ID', 'NAME', 'TYPE', 'SIZE', 'TAGS'],
          data.map((asset) => [asset.id, asset.name, asset.mimeType, sizeOf(asset), asset.tags.join(', ')]),
          [1, 4],
        ),
  )
  if (data.length > 0) output.info('A text shows one of them by ![words](asset:ID).')
  if (pagination.hasMore) output.info(`Only the first ${data.length} are shown; --search narrows them down.`)
}

/**
 * Adds files, one after the other, until Ctrl-C: a line for each, with `--json` an object, and a summary at the end.
 * @throws Failure when a file failed or was not tried
 */
export async function uploadAssets(given: readonly string[], command: Command): Promise<void> {
  const output = outputOf(command)
  const client = await clientOf(command)
  const paths = await filesToUpload(given)
  const { tags } = command.opts<{ tags?: string }>()
  const signal = interruption()
  const line = progressLine(output)
  const done: Outcome[] = []
  try {
    for (const [index, path] of paths.entries()) {
      line.show(row(span(`${index + 1}/${paths.length} `, 'dim'), span('uploading  ', 'accent'), path))
      const outcome = await uploadOne(client, path, tags, signal)
      line.clear()
      if (!outcome) break
      done.push(outcome)
      const mark = outcome.status === 'added' ? span('✔ ', 'good') : span('✘ ', 'bad')
      const shown = [row(mark, path, span(`  ${outcome.error ?? outcome.id}`, 'dim'))]
      process.stdout.write(`${output.json ? toJson(output.picked(outcome)) : onStdout(shown)}\n`)
    }
  } finally {
    line.clear()
  }
  const failed = done.filter(({ status }) => status === 'failed').length
  const added = done.length - failed
  output.info(`${counted(paths.length, 'file')}: ${added} added, ${failed} failed`)
  if (signal.aborted) throw new Failure('It was stopped.')
  if (failed > 0) throw new Failure(`${failed} failed.`)
}

async function uploadOne(
  client: Client,
  path: string,
  tags: string | undefined,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const body = new FormData()
    if (tags !== undefined) body.append('tags', tags)
    body.append('file', await openAsBlob(path), basename(path))
    const { id } = await client.call('media', 'POST /assets', { body, signal })
    return { path, status: 'added', id, error: null }
  } catch (error) {
    if (signal.aborted) return undefined
    // The next file would fail as well.
    if (!(error instanceof ApiError) || [401, 403].includes(error.status)) throw error
    return { path, status: 'failed', id: null, error: clean(error.message) }
  }
}

/** @throws Failure for staff: assets are those of the tenant that one is logged in for */
async function clientOf(command: Command): Promise<Client> {
  const { context, client } = await connectionOf(command, outputOf(command))
  if (context.tenant) return client
  throw new Failure(
    'Assets are for admins and members of a tenant: log in as one with `copydesk login URL --email you@example.com`.',
    { exitCode: exitCodes.forbidden },
  )
}

const sizeOf = ({ sizeBytes, width, height }: Asset) =>
  `${Math.ceil(sizeBytes / 1024)} KiB${width === null ? '' : ` ${width}×${height}`}`
