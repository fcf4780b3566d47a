import type { Reply } from '@copydesk/client'
import {
  fileColumns,
  type KnowledgeFile,
  kindOf,
  type ListedDataset,
  sizeOf,
  tenantHeader,
} from '../operations/knowledge.ts'
import { type CrawlState, crawlState } from '../operations/knowledge-crawl.ts'
import { stateRows } from '../operations/knowledge-crawl-rows.ts'
import { type Fact, factRows } from '../render/facts.ts'
import { measured } from '../render/flow.ts'
import { cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { ageOf, counted } from '../render/words.ts'
import { crawledPagesScreen } from './crawled-pages-screen.ts'
import { searchBinding } from './knowledge-search-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents, followProgress } from './live.ts'
import type { OpenScreen } from './screen.ts'
import { resultScreen } from './scroll.ts'

type Dataset = Reply<'tenant', 'GET /knowledge/datasets/:datasetId'>
type Named = Pick<ListedDataset, 'id' | 'name' | 'tenantId' | 'tenantName'>

const inProgress = new Set<KnowledgeFile['status']>(['parsing', 'embedding'])

/** The files of a dataset with what became of them, and how the last crawl of its website went. */
export function datasetScreen({ id, name, tenantId, tenantName }: Named): OpenScreen {
  return (shell) => {
    let dataset: Dataset | undefined
    let crawl: CrawlState | undefined
    let hasFailed = false
    let list: List<KnowledgeFile> = listOf<KnowledgeFile>([])
    const stop = new AbortController()
    const place = { tenant: tenantId, datasetId: id }

    const refresh = () =>
      void shell
        .attempt(async () => {
          const input = { params: { datasetId: id }, ...tenantHeader(tenantId), signal: stop.signal }
          const [found, state] = await Promise.all([
            shell.client.call('tenant', 'GET /knowledge/datasets/:datasetId', input),
            crawlState(shell.client, place, stop.signal),
          ])
          dataset = found
          crawl = state
          list = replaced(list, found.files)
          return true
        })
        .then((done) => {
          hasFailed = done === undefined
          shell.changed()
        })
    const isBusy = () =>
      crawl?.lastCrawl?.status === 'running' ||
      dataset?.status === 'building' ||
      list.items.some(({ status }) => inProgress.has(status))
    /** The website, unless there is none. */
    const headFor = (width: number, height: number): StyledLine[] =>
      !crawl || crawl.startUrl === null
        ? []
        : [...stateRows(name, crawl, shell.now()).map((line) => cutRow(line, width)), emptyRow].slice(
            0,
            Math.max(1, Math.floor(height / 2)),
          )

    refresh()
    followEvents(shell, stop.signal, refresh)
    followProgress(shell, stop.signal, isBusy, refresh)
    return {
      name: 'a dataset',
      title: () =>
        row(
          span(dataset?.name ?? name, 'strong'),
          span(shell.context.tenant ? '' : `  ${tenantName}`, 'accent'),
          span(dataset ? `  ${filesOf(dataset)}` : '', 'dim'),
        ),
      rows({ width, height }) {
        const head = headFor(width, height)
        const empty = dataset
          ? 'No files.'
          : hasFailed
            ? 'It could not be loaded. R tries again.'
            : 'Loading …'
        const room = { width, height: height - head.length, empty, total: dataset?.totalFiles ?? 0 }
        return [...head, ...listRows(list, fileColumns, room)]
      },
      bindings: () => [
        {
          key: 'enter',
          label: 'open',
          help: 'all that is known of the file, with the whole reason of an error',
          run: () => {
            const file = current(list)
            if (file) shell.open(resultScreen(file.fileName, (width) => fileRows(file, width, shell.now())))
          },
        },
        searchBinding(shell, 'words or a question; searches this dataset', () => ({
          tenantId,
          where: name,
          datasetIds: [id],
        })),
        {
          key: 'c',
          label: 'crawl',
          help: 'the pages of the last crawl, and why some were not indexed',
          run: () => {
            const last = crawl?.lastCrawl
            if (last) shell.open(crawledPagesScreen(place, last.id, name))
            else shell.say(`${name} was never read from a website`, 'dim')
          },
        },
      ],
      onKey(key, { width, height }) {
        list = moved(list, key, height - headFor(width, height).length) ?? list
        return current(list) !== undefined
      },
      refresh,
      close: () => stop.abort(),
    }
  }
}

function filesOf({ totalFiles, files }: Dataset): string {
  const all = counted(totalFiles, 'file')
  return files.length < totalFiles ? `${all}, the newest ${files.length} shown` : all
}

function fileRows(file: KnowledgeFile, width: number, now: number): StyledLine[] {
  const { fileName, status, errorMessage, mimeType, fileSizeBytes, chunksCount, source, createdOn } = file
  const facts: Fact[] = [
    ['file', fileName],
    ['status', status],
    ...(errorMessage === null ? [] : [['reason', errorMessage] as const]),
    ['kind', `${kindOf(mimeType)}, ${sizeOf(fileSizeBytes)}`],
    ['chunks', String(chunksCount)],
    ['source', source.replaceAll('_', ' ')],
    ['added', `${ageOf(createdOn, now)} ago`],
  ]
  return factRows(facts, measured(width))
}
