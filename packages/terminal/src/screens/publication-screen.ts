import { publicationFigures, type ShownPublication } from '../operations/publication-figures.ts'
import { publicationRows } from '../operations/publications.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'
import { scrollingScreen } from './scroll.ts'

/**
 * One publication: what goes where and when, why it does not, and what became of it.
 * @param changed called after an action on it
 */
export const publicationScreen =
  (publicationId: string, changed: () => void): OpenScreen =>
  (shell) => {
    let publication: ShownPublication | undefined
    const stop = new AbortController()
    const refresh = () =>
      void shell.attempt(async () => {
        publication = await shell.client.call('dashboard', 'GET /publications/:publicationId', {
          params: { publicationId },
          signal: stop.signal,
        })
        shell.changed()
      })
    const act = async (name: 'publish retry' | 'publish update' | 'publish cancel') => {
      if (await shell.run({ name, input: { id: publicationId } })) changed()
    }
    refresh()
    followEvents(shell, stop.signal, refresh)
    const draw = (width: number): StyledLine[] =>
      publication
        ? [...publicationRows(publication), ...publicationFigures(publication, width)]
        : [row(span('Loading …', 'dim'))]
    return scrollingScreen(draw, {
      name: 'a publication',
      title: () => row(span(publication?.title ?? 'publication', 'strong')),
      bindings: () => [
        {
          key: 't',
          label: 'retry',
          help: 'let it go on that has failed or is held, with the newest approved text',
          needs: 'publish retry',
          run: () => act('publish retry'),
        },
        {
          key: 'u',
          label: 'update',
          help: 'put the newest approved text into the place of the one that is out',
          needs: 'publish update',
          run: () => act('publish update'),
        },
        {
          key: 'x',
          label: 'withdraw',
          help: 'withdraw it; what is out is taken back where the platform can',
          needs: 'publish cancel',
          run: () => act('publish cancel'),
        },
        {
          key: 'o',
          label: 'text',
          help: 'open its activity',
          run: () => {
            if (publication) shell.openWork('activity', publication.activityId)
          },
        },
      ],
      refresh,
      close: () => stop.abort(),
    })
  }
