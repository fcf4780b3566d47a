import { datasetColumns, type ListedDataset } from '../operations/knowledge.ts'
import { knowledgeRefusal } from '../operations/knowledge-access.ts'
import { ofTenant } from '../operations/paging.ts'
import { flowText } from '../render/flow.ts'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { datasetScreen } from './dataset-screen.ts'
import { searchBinding } from './knowledge-search-screen.ts'
import { current, type List, listOf, listRows, moved, replaced } from './list.ts'
import { followEvents, followProgress } from './live.ts'
import type { OpenScreen } from './screen.ts'

/** The datasets of the user's tenants, with what is in them. */
export const knowledgeScreen: OpenScreen = (shell) => {
  let list: List<ListedDataset> = listOf<ListedDataset>([])
  let state: 'loading' | 'loaded' | 'failed' = 'loading'
  /** Why the datasets cannot be opened, if so. */
  let refused: string | undefined
  const stop = new AbortController()

  const refresh = () =>
    void shell
      .attempt(async () => {
        const query = ofTenant(shell.tenantId)
        const [found, why] = await Promise.all([
          shell.client.call('cli', 'GET /kb', { query, signal: stop.signal }),
          knowledgeRefusal(shell.context),
        ])
        list = replaced(list, found.data)
        refused = why
        return true
      })
      .then((done) => {
        if (done) state = 'loaded'
        else if (state === 'loading') state = 'failed'
        shell.changed()
      })
  const isBuilding = ({ status }: ListedDataset) => status === 'building'
  const footFor = (width: number): StyledLine[] =>
    refused === undefined ? [] : [emptyRow, ...flowText(refused, width, undefined, 'warn')]
  /** The selected dataset, unless it cannot be opened, which is said. */
  const opened = () => {
    if (refused !== undefined) return shell.say(refused, 'warn')
    return current(list)
  }

  refresh()
  followEvents(shell, stop.signal, refresh)
  followProgress(shell, stop.signal, () => list.items.some(isBuilding), refresh)
  return {
    name: 'the knowledge base',
    title() {
      if (state !== 'loaded') return row(span('knowledge', 'strong'))
      const building = list.items.filter(isBuilding).length
      const files = list.items.reduce((sum, { totalFiles }) => sum + totalFiles, 0)
      return row(
        span(counted(list.items.length, 'dataset'), 'strong'),
        span(`  ${counted(files, 'file')}`, 'dim'),
        span(building > 0 ? ` · ${building} building` : '', 'warn'),
      )
    },
    rows({ width, height }) {
      const foot = footFor(width)
      const columns = shell.context.tenant ? datasetColumns.slice(1) : datasetColumns
      return [
        ...listRows(list, columns, { width, height: height - foot.length, empty: emptyTexts[state] }),
        ...foot,
      ]
    },
    bindings: () => [
      {
        key: 'enter',
        label: 'open',
        help: 'its files, and the website that it is read from',
        run: () => {
          const dataset = opened()
          if (dataset) shell.open(datasetScreen(dataset))
        },
      },
      searchBinding(shell, 'words or a question; searches all datasets of the tenant', () => {
        const dataset = opened()
        if (!dataset) return undefined
        const { tenantId, tenantName } = dataset
        const datasets = list.items.filter((each) => each.tenantId === tenantId)
        return { tenantId, where: tenantName, datasetIds: datasets.map(({ id }) => id) }
      }),
    ],
    onKey(key, { width, height }) {
      list = moved(list, key, height - footFor(width).length) ?? list
      return current(list) !== undefined
    },
    refresh,
    close: () => stop.abort(),
  }
}

const emptyTexts = {
  loading: 'Loading …',
  loaded: 'No datasets.',
  failed: 'It could not be loaded. R tries again.',
} as const
