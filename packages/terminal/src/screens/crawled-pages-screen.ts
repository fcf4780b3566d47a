import {
  type CrawledPage,
  type CrawledPages,
  crawledPages,
  type DatasetPlace,
} from '../operations/knowledge-crawl.ts'
import { pageColumns } from '../operations/knowledge-crawl-rows.ts'
import { type Fact, factRows } from '../render/facts.ts'
import { measured } from '../render/flow.ts'
import { cutRow, emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { type OpenScreen, tabAfter, tabRow } from './screen.ts'
import { resultScreen } from './scroll.ts'

const tabs = ['all', 'failed', 'skipped', 'indexed', 'unchanged'] as const

/** The pages of a crawl with what came of them. */
export function crawledPagesScreen(place: DatasetPlace, crawlJobId: string, name: string): OpenScreen {
  return (shell) => {
    let found: CrawledPages | undefined
    let hasFailed = false
    let tab: (typeof tabs)[number] = 'all'
    let list: List<CrawledPage> = listOf<CrawledPage>([])
    const stop = new AbortController()

    const shown = () => {
      const all = found?.data ?? []
      return tab === 'all' ? all : all.filter(({ status }) => status === tab)
    }
    const refresh = () =>
      void shell
        .attempt(() => crawledPages(shell.client, place, crawlJobId, undefined, stop.signal))
        .then((pages) => {
          found = pages ?? found
          hasFailed = pages === undefined
          list = replaced(list, shown())
          shell.changed()
        })
    const turn = (key: 'tab' | 'shift+tab') => {
      tab = tabAfter(tabs, tab, key) ?? tab
      list = listOf(shown())
      shell.changed()
    }

    refresh()
    return {
      name: 'the pages of a crawl',
      title: () =>
        row(
          span(`pages of ${name}`, 'strong'),
          span(
            found ? `  ${counted(found.data.length, 'page')}${found.hasMore ? ' and more' : ''}` : '',
            'dim',
          ),
        ),
      rows({ width, height }) {
        const counts: Partial<Record<(typeof tabs)[number], number>> = found?.counts ?? {}
        const head = [cutRow(tabRow(tabs, tab, counts), width), emptyRow]
        const empty = found
          ? 'No such pages.'
          : hasFailed
            ? 'It could not be loaded. R tries again.'
            : 'Loading …'
        return [...head, ...listRows(list, pageColumns, { width, height: height - head.length, empty })]
      },
      bindings: () => [
        {
          key: 'enter',
          label: 'open',
          help: 'the whole address and reason',
          run: () => {
            const page = current(list)
            if (page) shell.open(resultScreen('a page', (width) => factsOf(page, width)))
          },
        },
        { key: 'tab', label: 'only', help: tabs.join(', '), run: () => turn('tab') },
        {
          key: 'shift+tab',
          label: 'only',
          help: 'the same, in reverse order',
          quiet: true,
          run: () => turn('shift+tab'),
        },
      ],
      onKey(key, { height }) {
        list = moved(list, key, height - 2) ?? list
        return current(list) !== undefined
      },
      refresh,
      close: () => stop.abort(),
    }
  }
}

function factsOf({ url, status, reason, depth }: CrawledPage, width: number): StyledLine[] {
  const facts: Fact[] = [
    ['page', url],
    ['status', status],
    ...(reason === null ? [] : [['reason', reason] as const]),
    ['depth', `${counted(depth, 'link')} from the first page`],
  ]
  return factRows(facts, measured(width))
}
