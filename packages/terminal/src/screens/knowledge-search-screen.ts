import type { Reply } from '@copydesk/client'
import { tenantHeader } from '../operations/knowledge.ts'
import { kbSearch } from '../operations/knowledge-search.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import type { Binding, OpenScreen } from './screen.ts'
import { type Scroll, scrolled, scrollRows } from './scroll.ts'
import type { Shell } from './shell.ts'

/** What is searched: datasets of one tenant. */
interface Searched {
  tenantId: string
  /** What people call it. */
  where: string
  datasetIds: readonly string[]
}

/** Limits of the server: datasets of a search, and letters of a query. */
const mostDatasets = 20
const mostLetters = 1_000
const results = 10

/** The key that searches. @param searched undefined when nothing can be searched, which has been said */
export function searchBinding(
  shell: Shell,
  help: string,
  searched: () => Searched | undefined,
  text = '',
): Binding {
  return {
    key: '/',
    label: 'search',
    help,
    run: async () => {
      const place = searched()
      if (!place) return
      const query = (await shell.ask(`Search ${place.where} for`, { text }))?.trim()
      if (query) shell.open(knowledgeSearchScreen(place, query.slice(0, mostLetters)))
    },
  }
}

/** What was found in datasets of a tenant, the best first. */
function knowledgeSearchScreen({ tenantId, where, datasetIds }: Searched, query: string): OpenScreen {
  return (shell) => {
    let found: Reply<'tenant', 'POST /knowledge/search'> | undefined
    let hasFailed = false
    let scroll: Scroll = { top: 0 }
    let lines: StyledLine[] = []
    const stop = new AbortController()

    const refresh = () =>
      void shell
        .attempt(() =>
          shell.client.call('tenant', 'POST /knowledge/search', {
            ...tenantHeader(tenantId),
            body: { query, datasetIds: datasetIds.slice(0, mostDatasets), topK: results },
            signal: stop.signal,
          }),
        )
        .then((reply) => {
          found = reply ?? found
          hasFailed = reply === undefined
          shell.changed()
        })
    const linesFor = (width: number): StyledLine[] => {
      if (found) return kbSearch.print(found, shell.renderOptions(width))
      return [row(span(hasFailed ? '   It could not be searched. R tries again.' : '   Searching …', 'dim'))]
    }

    refresh()
    return {
      name: 'the search',
      title: () =>
        row(
          span(`“${query}”`, 'strong'),
          span(`  ${where}`, 'accent'),
          span(found ? `  ${counted(found.results.length, 'result')}` : '', 'dim'),
        ),
      rows(size) {
        lines = linesFor(size.width)
        return scrollRows(scroll, lines, size)
      },
      bindings: () => [searchBinding(shell, 'search again', () => ({ tenantId, where, datasetIds }), query)],
      onKey(key, { height }) {
        scroll = scrolled(scroll, key, lines.length, height) ?? scroll
        return true
      },
      refresh,
      close: () => stop.abort(),
    }
  }
}
