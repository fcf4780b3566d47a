import { setTimeout } from 'node:timers/promises'
import { ApiError } from '@copydesk/client'
import type { Command } from 'commander'
import { withTenant } from '../account/own-tenant.ts'
import { type EvalQuery, readDocuments, readQueries } from '../evaluation/collection.ts'
import { type EvalAnswer, evaluate } from '../evaluation/evaluate.ts'
import { evaluationRows } from '../evaluation/evaluation-rows.ts'
import { checkedInput, checkInput, UsageError } from '../operations/invocation.ts'
import { datasetsNamed, tenantHeader } from '../operations/knowledge.ts'
import { kbEval } from '../operations/knowledge-eval.ts'
import type { Input } from '../operations/operation.ts'
import { row, span } from '../render/row.ts'
import { Failure } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import type { OnMachine, SearchWay } from './on-machine.ts'
import type { CliOutput } from './output.ts'
import { progressLine } from './progress-line.ts'
import { connectionOf, interruption, onStdout, outputOf, renderOptionsNow } from './session.ts'

const usualTop = 10
/** The most results that the server gives; several may be of one document. */
const mostResults = 20

/** After an answer that there were too many requests. */
const pauseMs = 2_000

type Search = (query: string) => Promise<EvalAnswer>
type Given = Input<typeof kbEval.params>

interface Task {
  output: CliOutput
  signal: AbortSignal
  onProgress(stage: string, total: number): (done: number) => void
}

/**
 * Measures how well search answers the queries of a collection: in a temporary installation, or in a dataset of the server.
 * @throws Failure for a collection that cannot be read, and when it was stopped
 */
export async function evaluateSearch(command: Command, machine: OnMachine | undefined): Promise<void> {
  const output = outputOf(command)
  const given = checkedInput(kbEval, checkInput(kbEval, await givenTo(kbEval, command)))
  const way = wayOf(given)
  const { folder, dataset, database, top = usualTop } = given
  if (dataset !== undefined && database !== undefined)
    throw new UsageError('--dataset and --database exclude each other', 'database')
  if (dataset === undefined && given.tenant !== undefined)
    throw new UsageError('--tenant is for --dataset: a temporary installation has no tenants', 'tenant')
  const queries = await readQueries(folder)
  const line = progressLine(output)
  const signal = interruption()
  const task: Task = {
    output,
    signal,
    onProgress: (stage, total) => (done) =>
      line.show(row(span(`${done}/${total} `, 'dim'), span(stage, 'accent'))),
  }
  const measured = async (search: Search) => {
    const onProgress = task.onProgress('queries', queries.length)
    const found = await evaluate(queries, search, { top, signal, onProgress })
    line.clear()
    output.data(found, () => onStdout(evaluationRows(found, renderOptionsNow().width)))
  }
  try {
    if (dataset !== undefined)
      await measured(await searchOf({ ...given, dataset }, way, queries, command, task))
    else
      await inTemporary(folder, machineOf(machine).temporaryKnowledge(command, database), way, task, measured)
  } catch (error) {
    throw signal.aborted ? new Failure('It was stopped.', { cause: error }) : error
  } finally {
    line.clear()
  }
}

async function inTemporary(
  folder: string,
  opening: ReturnType<OnMachine['temporaryKnowledge']>,
  way: SearchWay,
  { output, signal, onProgress }: Task,
  measured: (search: Search) => Promise<void>,
): Promise<void> {
  await using knowledge = await opening
  const documents = await readDocuments(folder)
  const failed = await knowledge.add(documents, {
    signal,
    onProgress: onProgress('documents', documents.length),
  })
  const [first] = failed
  if (first)
    output.warn(
      `${failed.length} of ${documents.length} documents were not ingested, such as ${first.id}: ${first.reason}`,
    )
  await measured((query) => knowledge.search(query, way))
}

function machineOf(machine: OnMachine | undefined): OnMachine {
  if (machine) return machine
  throw new Failure(
    'A temporary installation needs the program of the server. Name a dataset with --dataset.',
  )
}

/** A search of a dataset of the server, whose documents are files. */
async function searchOf(
  given: Given & { dataset: string },
  way: SearchWay,
  queries: readonly EvalQuery[],
  command: Command,
  { output, signal }: Task,
): Promise<Search> {
  const connection = await connectionOf(command, output)
  const { client } = connection.context
  const named = { ...kbEval, needsTenant: () => true }
  const { tenant } = await withTenant(named, connection.context, narrowed(kbEval, given, connection.tenantId))
  const header = tenantHeader(String(tenant))
  const datasetIds = (await datasetsNamed(client, String(tenant), [given.dataset])).map(({ id }) => id)
  const idOf = idOfFile(queries)
  return async (query) => {
    const body = { query, datasetIds, topK: mostResults, ...way }
    const { results, searchMs } = await patiently(signal, () =>
      client.call('tenant', 'POST /knowledge/search', { ...header, body, signal }),
    )
    const documents = results.map(({ fileName }) => idOf(fileName))
    return { documents, rankSource: results[0]?.rankSource, searchMs }
  }
}

/** Waits where the server says that there were too many requests. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
}

/** Files are judged by their names, with or without the ending. */
function idOfFile(queries: readonly EvalQuery[]): (fileName: string) => string {
  const judged = new Set(queries.flatMap(({ relevant }) => [...relevant.keys()]))
  return (fileName) => {
    const bare = fileName.replace(/\.[^.]+$/, '')
    return judged.has(fileName) || !judged.has(bare) ? fileName : bare
  }
}

function wayOf({ alpha, rerank }: Given): SearchWay {
  return { ...(alpha !== undefined && { hybridAlpha: alphaOf(alpha) }), ...(rerank && { rerank }) }
}

function alphaOf(text: string): number {
  const alpha = Number(text)
  if (/^\d*\.?\d+$/.test(text) && alpha <= 1) return alpha
  throw new UsageError('--alpha must be a number from 0 to 1', 'alpha')
}
